/**
 * What the language itself provides, remembered before a program runs. A program may replace any of it; what works
 * after the program's end (the serialiser, the report) gets the originals back first and can then be written plainly.
 */
const { getOwnPropertyDescriptor, defineProperty, ownKeys, getPrototypeOf } = Reflect;
const { setPrototypeOf } = Object;

// What the code that runs after the program's end uses, directly or inside of the language.
const GLOBALS = ['Array', 'BigInt', 'Boolean', 'Buffer', 'Date', 'Error', 'JSON', 'Map', 'Number', 'Object', 'RegExp'];
GLOBALS.push('Set', 'String', 'SyntaxError', 'Uint8Array', 'URL');
const STATICS = [Array, BigInt, JSON, Number, Object, String];
const PROTOTYPES = [Array, Boolean, Date, Function, Map, Number, Object, RegExp, Set, String].map(
  (constructor) => constructor.prototype,
);
const ITERATORS = [[], new Map(), new Set(), ''].map((iterable) => getPrototypeOf(iterable[Symbol.iterator]()));
const HOLDERS = [...STATICS, ...PROTOTYPES, ...ITERATORS];
const BUFFER_STATICS = ['from', 'byteLength', 'isBuffer', 'allocUnsafe'];

// How a program lets its values be written as JSON is the program's to say.
const KEPT = new Set(['toJSON', 'constructor', 'prototype', '__proto__']);

function remember(holder, key) {
  const descriptor = getOwnPropertyDescriptor(holder, key);
  // A descriptor must not inherit `get` or `value` from a changed Object.prototype.
  setPrototypeOf(descriptor, null);
  return { holder, key, descriptor, isMethod: 'value' in descriptor, value: descriptor.value };
}

function snapshot() {
  const saved = GLOBALS.map((name) => remember(globalThis, name));
  for (const key of BUFFER_STATICS) saved.push(remember(Buffer, key));
  saved.push(remember(Buffer.prototype, 'toString'));
  for (const holder of HOLDERS) {
    for (const key of ownKeys(holder)) if (!KEPT.has(key)) saved.push(remember(holder, key));
  }
  return saved.filter(({ descriptor }) => descriptor.configurable);
}

const saved = snapshot();

/** Puts back what the program replaced or deleted of the language's own. What it froze stays as it is. */
export function restoreIntrinsics() {
  for (let index = 0; index < saved.length; index += 1) {
    const { holder, key, descriptor, isMethod, value } = saved[index];
    const isSame = isMethod ? holder[key] === value : getOwnPropertyDescriptor(holder, key)?.get === descriptor.get;
    if (!isSame) defineProperty(holder, key, descriptor);
  }
}
