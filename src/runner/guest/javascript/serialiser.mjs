/** Values of JavaScript programs as JSON: any value has one meaning, every bound has one clear error. */
import { convert, LATER, MAX_ELEMENTS, PENDING } from './serialiser-types.mjs';

const PATH_SHOWN = 200;
const OUTPUT_FILE = 'write it to a file and name that in outputFiles';
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

/** A value that has no JSON form; `type` names the class of error a caller reads. */
export class Unserialisable extends Error {
  constructor(message, type = 'TypeError') {
    super(message);
    this.type = type;
  }
}

/**
 * JSON text of a value, or undefined where it has none (undefined, functions, symbols).
 *
 * Throws Unserialisable, and what the value's own getters and `toJSON` throw. `limits` are `{ depth, maxBytes }`;
 * `settled` maps promises to what they were fulfilled with; `root` names the value in messages.
 */
export function toJson(value, limits, settled = new Map(), root = 'result') {
  const text = new Conversion(limits, settled, root).text(value);
  if (text === undefined) return undefined;
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.maxBytes) throw tooLarge(limits, `it has ${bytes} bytes`);
  return text;
}

function tooLarge(limits, size) {
  return new Unserialisable(`${size}, the limit is ${limits.maxBytes} bytes; ${OUTPUT_FILE}`, 'RangeError');
}

class Conversion {
  #limits;
  #settled;
  #root;
  #elements = 0;
  #characters = 0;
  /** The containers that are being written, and under which key each was found. */
  #open = [];
  #keys = [];

  constructor(limits, settled, root) {
    this.#limits = limits;
    this.#settled = settled;
    this.#root = root;
  }

  text(value) {
    return this.#value(value, '');
  }

  #value(value, key) {
    switch (typeof value) {
      case 'string':
        return this.string(value);
      case 'number':
        return this.#number(value);
      case 'boolean':
        return value ? 'true' : 'false';
      case 'bigint':
        return this.#bigint(value, key);
      case 'object':
        return value === null ? 'null' : this.#object(value, key);
      default:
        return undefined;
    }
  }

  /** A string as JSON, counted; lone surrogates, which no UTF-8 can hold, become U+FFFD. */
  string(text) {
    this.#count(text.length);
    return JSON.stringify(text.isWellFormed() ? text : text.toWellFormed());
  }

  #count(characters) {
    this.#characters += characters;
    if (this.#characters > this.#limits.maxBytes) {
      throw tooLarge(this.#limits, `it has more than ${this.#limits.maxBytes} characters`);
    }
  }

  #number(value) {
    if (!Number.isFinite(value)) return 'null';
    return String(value === 0 ? 0 : value);
  }

  #bigint(value, key) {
    if (typeof value.toJSON === 'function') return this.#value(value.toJSON(key), key);
    // 2^53 itself is the last one that every reader of JSON takes for what it is.
    const isExact = value <= 2n ** 53n && value >= -(2n ** 53n);
    return isExact ? String(value) : this.string(String(value));
  }

  #object(value, key) {
    const plain = convert(value, key, this.#settled);
    if (typeof plain !== 'object' || plain === null) return this.#value(plain, key);
    if (plain === PENDING) throw new Unserialisable(`${this.#path(key)} is a promise that did not settle`);
    if (plain === LATER)
      throw new Unserialisable(`${this.#path(key)} is an async iterator; await Array.fromAsync() of it`);
    return this.#container(value, key, plain);
  }

  #container(owner, key, { list, entries }) {
    if (this.#open.length >= this.#limits.depth) {
      throw new Unserialisable(`it nests deeper than ${this.#limits.depth} levels`, 'RangeError');
    }
    if (this.#open.includes(owner)) throw this.#cycle(owner, key);
    this.#open.push(owner);
    this.#keys.push(key);
    const text = list === undefined ? this.#mapping(entries) : this.#list(list);
    this.#open.pop();
    this.#keys.pop();
    return text;
  }

  #list(values) {
    const { length } = values;
    this.#expect(length);
    let text = '[';
    for (let index = 0; index < length; index += 1) {
      if (index > 0) text += ',';
      text += this.#value(values[index], index) ?? 'null';
    }
    return `${text}]`;
  }

  #mapping({ keys, get }) {
    this.#expect(keys.length);
    let text = '{';
    for (let index = 0; index < keys.length; index += 1) {
      const name = keys[index];
      const value = this.#value(get(name), name);
      if (value === undefined) continue;
      text += `${text.length > 1 ? ',' : ''}${this.string(name)}:${value}`;
    }
    return `${text}}`;
  }

  #expect(elements) {
    this.#elements += elements;
    if (this.#elements > MAX_ELEMENTS) {
      throw new Unserialisable(`it has more than ${MAX_ELEMENTS} elements; ${OUTPUT_FILE}`, 'RangeError');
    }
  }

  #cycle(owner, key) {
    const first = this.#open.indexOf(owner);
    const target = this.#pathOf(this.#keys.slice(1, first + 1));
    return new Unserialisable(`circular structure: ${this.#path(key)} refers back to ${target}`);
  }

  #path(key) {
    return this.#pathOf([...this.#keys, key].slice(1));
  }

  #pathOf(keys) {
    let path = this.#root;
    for (const key of keys) {
      if (typeof key === 'number') path += `[${key}]`;
      else path += IDENTIFIER.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
    }
    return path.length > PATH_SHOWN ? `${path.slice(0, PATH_SHOWN)}…` : path;
  }
}
