/** What the objects of JavaScript and Node mean as JSON. */
import { URL, URLSearchParams } from 'node:url';
import { types } from 'node:util';

const {
  isAnyArrayBuffer,
  isArgumentsObject,
  isBigIntObject,
  isBooleanObject,
  isDate,
  isGeneratorObject,
  isMap,
  isMapIterator,
  isNativeError,
  isNumberObject,
  isPromise,
  isRegExp,
  isSet,
  isSetIterator,
  isStringObject,
} = types;
const { isView } = ArrayBuffer;
const isAbove = Function.prototype.call.bind(Object.prototype.isPrototypeOf);
const TEXTS = [URL, URLSearchParams];
// What all iterators of the language inherit from.
const ITERATOR = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));

/** How many elements a value may have in all. */
export const MAX_ELEMENTS = 1_000_000;

/** What a promise is that has not settled. */
export const PENDING = asEntries([], () => undefined);

/** What an async iterator is: its items come later, if at all. */
export const LATER = asEntries([], () => undefined);

// Both keys are always there: a missing one would be looked for in an Object.prototype that the program may have changed.
function asList(list) {
  return { list, entries: undefined };
}

function asEntries(keys, get) {
  return { list: undefined, entries: { keys, get } };
}

/**
 * One step from an object towards JSON: a primitive, or `{ list, entries }`, where one is given and the other is
 * undefined: `list` is array-like, `entries` is `{ keys, get }`. PENDING for a promise that `settled` does not know, LATER for an async iterator.
 * Calls `toJSON` as JSON.stringify does.
 */
export function convert(value, key, settled) {
  if (isAnyArrayBuffer(value)) return Buffer.from(value).toString('base64');
  if (isView(value)) return convertView(value);
  if (typeof value.toJSON === 'function') {
    const plain = value.toJSON(String(key));
    return typeof plain === 'object' && plain !== null ? convertPlain(plain, settled) : plain;
  }
  return convertPlain(value, settled);
}

function convertView(view) {
  if (Buffer.isBuffer(view)) return view.toString('base64');
  if (view instanceof DataView) {
    return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64');
  }
  return asList(view);
}

/** What each class of object is, the first that fits; other objects are their own enumerable properties. */
const KINDS = [
  [(value) => Array.isArray(value) || isArgumentsObject(value), asList],
  [isAsyncIterator, () => LATER],
  [isIterator, (value) => asList(takeItems(value))],
  [isMap, convertMap],
  [isSet, (value) => asList([...Set.prototype.values.call(value)])],
  [isPromise, (value, settled) => (settled.has(value) ? unwrap(settled.get(value), settled) : PENDING)],
  [isNativeError, convertError],
  [isDate, (value) => Date.prototype.toJSON.call(value)],
  [isRegExp, String],
  [(value) => isAnyArrayBuffer(value) || isView(value), (value, settled) => convert(value, '', settled)],
  [(value) => TEXTS.some((kind) => value instanceof kind), String],
  [isNumberObject, Number],
  [isStringObject, String],
  [isBooleanObject, (value) => Boolean.prototype.valueOf.call(value)],
  [isBigIntObject, (value) => BigInt.prototype.valueOf.call(value)],
];

function convertPlain(value, settled) {
  // Most objects are; the others are looked at more closely.
  if (isPlain(value)) return ownProperties(value);
  const [, convertKind = ownProperties] = KINDS.find(([isKind]) => isKind(value)) ?? [];
  return convertKind(value, settled);
}

function isPlain(value) {
  return Object.getPrototypeOf(value) === Object.prototype && !isArgumentsObject(value) && !isAsyncIterator(value);
}

function unwrap(value, settled) {
  return typeof value === 'object' && value !== null ? convert(value, '', settled) : value;
}

function isAsyncIterator(value) {
  return Symbol.asyncIterator in value && typeof value.next === 'function';
}

function isIterator(value) {
  return isGeneratorObject(value) || isMapIterator(value) || isSetIterator(value) || isAbove(ITERATOR, value);
}

/** The items that are left in an iterator, one more than there may be at the most. */
function takeItems(iterator) {
  const items = [];
  for (const item of { [Symbol.iterator]: () => iterator }) {
    items.push(item);
    if (items.length > MAX_ELEMENTS) break;
  }
  return items;
}

function ownProperties(value) {
  return asEntries(Object.keys(value), (name) => value[name]);
}

/** A mapping where every key is text in one way only, else a list of pairs. */
function convertMap(map) {
  const pairs = [...Map.prototype.entries.call(map)];
  const byName = new Map(pairs.map(([key, value]) => [String(nameOf(key)), value]));
  if (byName.size < pairs.length || !pairs.every(([key]) => nameOf(key) !== undefined)) return asList(pairs);
  return asEntries([...byName.keys()], (name) => byName.get(name));
}

function nameOf(key) {
  return typeof key === 'string' || typeof key === 'number' || typeof key === 'bigint' ? key : undefined;
}

function convertError(error) {
  const shown = new Map([
    ['name', error.name],
    ['message', error.message],
  ]);
  if (Object.hasOwn(error, 'cause')) shown.set('cause', error.cause);
  if (Object.hasOwn(error, 'errors')) shown.set('errors', error.errors);
  for (const key of Object.keys(error)) shown.set(key, error[key]);
  return asEntries([...shown.keys()], (name) => shown.get(name));
}
