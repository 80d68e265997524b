// Values of the program as JSON text. Uses nothing that the program may have replaced.
import { types } from 'node:util';

const { stringify } = JSON;
const { keys } = Object;
const { isArray } = Array;
const { isFinite: isFiniteNumber, isSafeInteger } = Number;
const toBase64 = Function.prototype.call.bind(Buffer.prototype.toString);
const { from: bufferFrom } = Buffer;
const mapEntries = Function.prototype.call.bind(Map.prototype.entries);
const setValues = Function.prototype.call.bind(Set.prototype.values);
const dateTime = Function.prototype.call.bind(Date.prototype.getTime);
const toIso = Function.prototype.call.bind(Date.prototype.toISOString);
const wellFormed = Function.prototype.call.bind(String.prototype.toWellFormed ?? String.prototype.toString);
const { isView } = ArrayBuffer;
const isBuffer = Buffer.isBuffer;
const Text = String;
const toNumber = Number;

/** Elements of one result; more belong into a file. */
const MAX_ELEMENTS = 1_000_000;

/** A value that cannot be JSON; `message` says where and why. */
export class Unserialisable extends Error {
  name = 'Unserialisable';
}

/** JSON text of a value; undefined where JSON knows nothing of it (undefined, functions, symbols). Throws Unserialisable. */
export function toJson(value, { maxDepth, maxBytes, root = 'result' }) {
  return new Writer(maxDepth, maxBytes).encode(value, root, 0);
}

class Writer {
  #ancestors = [];
  #elements = 0;
  #bytes = 0;

  constructor(maxDepth, maxBytes) {
    this.maxDepth = maxDepth;
    this.maxBytes = maxBytes;
  }

  encode(value, path, depth) {
    this.#elements += 1;
    if (this.#elements > MAX_ELEMENTS) {
      throw new Unserialisable(`has more than ${MAX_ELEMENTS} elements; write it to an output file`);
    }
    switch (typeof value) {
      case 'string':
        return this.#count(stringify(wellFormed(value)));
      case 'number':
        return this.#count(isFiniteNumber(value) ? stringify(value) : 'null');
      case 'boolean':
        return this.#count(value ? 'true' : 'false');
      case 'bigint': {
        const number = toNumber(value);
        return this.#count(isSafeInteger(number) ? Text(number) : `"${Text(value)}"`);
      }
      case 'object':
        return value === null ? this.#count('null') : this.#object(value, path, depth);
      default:
        return undefined;
    }
  }

  #count(json) {
    this.#bytes += json.length + 1;
    if (this.#bytes > this.maxBytes) {
      throw new Unserialisable(`has more than ${this.maxBytes} bytes as JSON; write it to an output file`);
    }
    return json;
  }

  #object(value, path, depth) {
    if (depth >= this.maxDepth) throw new Unserialisable(`nests deeper than ${this.maxDepth} levels at ${short(path)}`);
    for (let index = 0; index < depth; index += 1) {
      if (this.#ancestors[index] === value) throw new Unserialisable(`has a circular reference at ${short(path)}`);
    }
    this.#ancestors[depth] = value;
    try {
      return this.#compound(value, path, depth);
    } catch (error) {
      if (error instanceof Unserialisable) throw error;
      throw new Unserialisable(`could not be read at ${short(path)}: ${messageOf(error)}`);
    } finally {
      this.#ancestors[depth] = undefined;
    }
  }

  #compound(value, path, depth) {
    if (types.isAnyArrayBuffer(value)) return this.#count(`"${toBase64(bufferFrom(value), 'base64')}"`);
    if (isView(value)) return this.#view(value, path, depth);
    if (types.isDate(value)) return this.#count(isFiniteNumber(dateTime(value)) ? `"${toIso(value)}"` : 'null');
    if (types.isBoxedPrimitive(value)) return this.encode(value.valueOf(), path, depth);
    if (typeof value.toJSON === 'function') return this.encode(value.toJSON(''), path, depth + 1);
    if (isArray(value)) return this.#list(value, value.length, path, depth);
    if (types.isMap(value)) return this.#map(value, path, depth);
    if (types.isSet(value)) return this.#iterated(setValues(value), path, depth);
    if (types.isRegExp(value)) return this.#count(stringify(Text(value)));
    if (types.isNativeError(value)) return this.#fields(['name', 'message'], (key) => Text(value[key]), path, depth);
    return this.#fields(keys(value), (key) => value[key], path, depth);
  }

  #view(value, path, depth) {
    if (isBuffer(value)) return this.#count(`"${toBase64(value, 'base64')}"`);
    if (!types.isTypedArray(value)) {
      return this.#count(`"${toBase64(bufferFrom(value.buffer, value.byteOffset, value.byteLength), 'base64')}"`);
    }
    return this.#list(value, value.length, path, depth);
  }

  #list(values, length, path, depth) {
    let json = '[';
    for (let index = 0; index < length; index += 1) {
      if (index > 0) json += ',';
      json += this.encode(values[index], `${path}[${index}]`, depth + 1) ?? this.#count('null');
    }
    return `${json}]`;
  }

  #iterated(iterator, path, depth) {
    const values = [];
    let length = 0;
    for (let step = iterator.next(); !step.done; step = iterator.next()) {
      values[length] = step.value;
      length += 1;
    }
    return this.#list(values, length, path, depth);
  }

  #map(value, path, depth) {
    const names = [];
    const members = { __proto__: null };
    const pairs = [];
    let isPlain = true;
    const iterator = mapEntries(value);
    for (let step = iterator.next(); !step.done; step = iterator.next()) {
      const [key, member] = step.value;
      isPlain &&= typeof key === 'string' || typeof key === 'number';
      pairs[pairs.length] = [key, member];
      if (!isPlain) continue;
      names[names.length] = Text(key);
      members[Text(key)] = member;
    }
    if (!isPlain) return this.#list(pairs, pairs.length, path, depth);
    return this.#fields(names, (key) => members[key], path, depth);
  }

  #fields(names, read, path, depth) {
    let json = '{';
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index];
      const member = this.encode(read(name), `${path}.${name}`, depth + 1);
      if (member === undefined) continue;
      if (json.length > 1) json += ',';
      json += `${this.#count(stringify(wellFormed(name)))}:${member}`;
    }
    return `${json}}`;
  }
}

function short(path) {
  return path.length <= 100 ? path : `${path.slice(0, 60)}…${path.slice(-30)}`;
}

function messageOf(error) {
  try {
    return Text(error?.message ?? error);
  } catch {
    return 'an error without a message';
  }
}
