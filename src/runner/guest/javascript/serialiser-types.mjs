/** What the objects of JavaScript and Node mean as JSON. */
import { URL, URLSearchParams } from 'node:url';
import { types } from 'node:util';

const {
  isAnyArrayBuffer,
  isBigIntObject,
  isBooleanObject,
  isDate,
  isMap,
  isNativeError,
  isNumberObject,
  isPromise,
  isRegExp,
  isSet,
  isStringObject,
} = types;
const { isView } = ArrayBuffer;
const TEXTS = [URL, URLSearchParams];

/** What a promise is that has not settled. */
export const PENDING = asEntries([], () => undefined);

// Both keys are always there: a missing one would be looked for in an Object.prototype that the program may have changed.
function asList(list) {
  return { list, entries: undefined };
}

function asEntries(keys, get) {
  return { list: undefined, entries: { keys, get } };
}

/**
 * One step from an object towards JSON: a primitive, or `{ list, entries }`, where one is given and the other is
 * undefined: `list` is array-like, `entries` is `{ keys, get }`. PENDING for a promise that `settled` does not know.
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

function convertPlain(value, settled) {
  if (Array.isArray(value)) return asList(value);
  if (isMap(value)) return convertMap(value);
  if (isSet(value)) return asList([...Set.prototype.values.call(value)]);
  if (isPromise(value)) return settled.has(value) ? unwrap(settled.get(value), settled) : PENDING;
  if (isNativeError(value)) return convertError(value);
  if (isDate(value)) return Date.prototype.toJSON.call(value);
  if (isRegExp(value)) return String(value);
  if (isAnyArrayBuffer(value) || isView(value)) return convert(value, '', settled);
  if (TEXTS.some((kind) => value instanceof kind)) return String(value);
  return convertBoxed(value);
}

function unwrap(value, settled) {
  return typeof value === 'object' && value !== null ? convert(value, '', settled) : value;
}

function convertBoxed(value) {
  if (isNumberObject(value)) return Number(value);
  if (isStringObject(value)) return String(value);
  if (isBooleanObject(value)) return Boolean.prototype.valueOf.call(value);
  if (isBigIntObject(value)) return BigInt.prototype.valueOf.call(value);
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
  for (const key of Object.keys(error)) shown.set(key, error[key]);
  return asEntries([...shown.keys()], (name) => shown.get(name));
}
