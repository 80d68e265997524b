/**
 * What the language itself provides, remembered before a program runs. A program may replace any of it; what works
 * after the program's end (the serialiser, the report) gets the originals back first and can then be written plainly.
 */
const { getOwnPropertyDescriptor, defineProperty, ownKeys, getPrototypeOf } = Reflect;
const { is } = Object;

const CONSTRUCTORS = [
  'Array Boolean BigInt Buffer Date Error Function JSON Map Math Number Object Promise Reflect RegExp Set String Symbol',
  'TextDecoder TextEncoder URL Uint8Array WeakMap WeakSet',
];

function prototypeOfIterator(iterable) {
  return getPrototypeOf(iterable[Symbol.iterator]());
}

function* holders() {
  for (const name of CONSTRUCTORS.join(' ').split(' ')) {
    yield globalThis[name];
    if (globalThis[name].prototype !== undefined) yield globalThis[name].prototype;
  }
  yield* [[], new Map(), new Set(), ''].map(prototypeOfIterator);
  yield getPrototypeOf(Uint8Array);
  yield getPrototypeOf(Uint8Array.prototype);
}

// How a program lets its values be written as JSON is the program's to say.
const KEPT = new Set(['toJSON', 'constructor', 'prototype', 'stackTraceLimit', 'prepareStackTrace']);

function snapshot() {
  const saved = [];
  const save = (holder, key) => {
    const descriptor = getOwnPropertyDescriptor(holder, key);
    // A descriptor must not inherit `get` or `value` from a changed Object.prototype.
    if (descriptor.configurable) saved.push({ holder, key, descriptor: Object.setPrototypeOf(descriptor, null) });
  };
  for (const name of CONSTRUCTORS.join(' ').split(' ')) save(globalThis, name);
  for (const holder of holders()) {
    for (const key of ownKeys(holder)) if (!KEPT.has(key)) save(holder, key);
  }
  return saved;
}

const saved = snapshot();

function isUnchanged(holder, key, descriptor) {
  const now = getOwnPropertyDescriptor(holder, key);
  if (now === undefined) return false;
  return 'value' in descriptor ? is(now.value, descriptor.value) : now.get === descriptor.get;
}

/** Puts back what the program replaced or deleted of the language's own. What it froze stays as it is. */
export function restoreIntrinsics() {
  for (let index = 0; index < saved.length; index += 1) {
    const { holder, key, descriptor } = saved[index];
    if (!isUnchanged(holder, key, descriptor)) defineProperty(holder, key, descriptor);
  }
}
