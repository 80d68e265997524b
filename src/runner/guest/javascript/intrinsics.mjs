/**
 * What the language itself provides, remembered before a program runs. A program may replace any of it; what works
 * after the program's end (the serialiser, the report) gets the originals back first and can then be written plainly.
 */
const { getOwnPropertyDescriptor, defineProperty, deleteProperty, ownKeys, getPrototypeOf } = Reflect;
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

// What a session uses besides: it goes on working when a program has changed the language, and Node's globals with it.
const SESSION_HOLDERS = [Promise, Reflect, Math, RegExp, Symbol, Buffer, getPrototypeOf(Uint8Array), ArrayBuffer];
SESSION_HOLDERS.push(...[Promise, Buffer, getPrototypeOf(Uint8Array)].map(({ prototype }) => prototype));

function remember(holder, key) {
  const descriptor = ownDescriptor(holder, key);
  return { holder, key, descriptor, isMethod: 'value' in descriptor, value: descriptor.value };
}

function ownDescriptor(holder, key) {
  const descriptor = getOwnPropertyDescriptor(holder, key);
  // A descriptor must not inherit `get` or `value` from a changed Object.prototype.
  return descriptor === undefined ? undefined : setPrototypeOf(descriptor, null);
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

/** Remembers more: all that is global now, and what a session works with. */
export function rememberForSession() {
  const more = ownKeys(globalThis).map((key) => remember(globalThis, key));
  for (const holder of SESSION_HOLDERS) {
    for (const key of ownKeys(holder)) if (!KEPT.has(key)) more.push(remember(holder, key));
  }
  saved.push(...more.filter(({ descriptor }) => descriptor.configurable));
}

/** Puts back what the program replaced or deleted of the language's own. What it froze stays as it is. */
export function restoreIntrinsics() {
  for (let index = 0; index < saved.length; index += 1) {
    if (isReplaced(saved[index])) restore(saved[index]);
  }
}

/** Runs work of ours with the language as it was at first, and gives the program back what it made of it: state too. */
export function withIntrinsics(work) {
  const replaced = { __proto__: null, length: 0 };
  for (let index = 0; index < saved.length; index += 1) {
    const entry = saved[index];
    if (!isReplaced(entry)) continue;
    replaced[replaced.length] = { __proto__: null, entry, descriptor: ownDescriptor(entry.holder, entry.key) };
    replaced.length += 1;
    restore(entry);
  }
  try {
    return work();
  } finally {
    for (let index = 0; index < replaced.length; index += 1) putBack(replaced[index]);
  }
}

function isReplaced({ holder, key, descriptor, isMethod, value }) {
  return isMethod ? holder[key] !== value : getOwnPropertyDescriptor(holder, key)?.get !== descriptor.get;
}

function restore({ holder, key, descriptor, isMethod, value }) {
  // A function that the program declared in place of a global can be replaced, and not be made configurable.
  if (!defineProperty(holder, key, descriptor) && isMethod) defineProperty(holder, key, { __proto__: null, value });
}

function putBack({ entry: { holder, key }, descriptor }) {
  if (descriptor === undefined) deleteProperty(holder, key);
  else defineProperty(holder, key, descriptor);
}
