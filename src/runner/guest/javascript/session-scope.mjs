/** The global names of a session: what its calls declare, what they are given, and what is there before them. */
import Module from 'node:module';
import { pathToFileURL } from 'node:url';
import { hideGlobal } from './launch.mjs';
import { createNotes } from './notes.mjs';
import { MODULE_NAMES } from './rewrite.mjs';
import { createMainModule, isUsable } from './surroundings.mjs';

const { defineProperty, getOwnPropertyDescriptor, ownKeys, set } = Reflect;
const { hasOwn } = Object;
const RELATIVE = /^(?:\.{0,2}\/|file:)/;

export class Scope {
  /** Names that libraries need as they are. */
  #platform = new Set([...ownKeys(globalThis), ...MODULE_NAMES]);
  #constants = new Set();
  #notes;
  /** The module that all calls are together: `{ module, require, filename, url }`; undefined before the first one. */
  main;

  /** Makes what a module of CommonJS finds global, once. */
  open(extension) {
    if (this.main !== undefined) return;
    this.main = createMainModule(extension);
    const { module, require, filename } = this.main;
    const values = { exports: module.exports, require, module, __filename: filename, __dirname: '/sandbox' };
    for (const name of MODULE_NAMES) {
      defineProperty(globalThis, name, hidden(values[name]));
    }
    // Strict code may assign to `result` without a declaration.
    setGlobal('result', undefined);
  }

  /** Constants of earlier calls. */
  get constants() {
    return this.#constants;
  }

  /** Names of inputs that only the call itself gets. */
  shadowsIn(inputs) {
    return Object.keys(inputs).filter((name) => this.#platform.has(name) && isUsable(name));
  }

  /** Gives a call its inputs and its notes. */
  publish(inputs, checkpoint) {
    for (const name of Object.keys(inputs)) if (!this.#platform.has(name)) this.#define(name, inputs[name]);
    if (!hasOwn(inputs, 'inputs')) this.#define('inputs', inputs);
    // What a call declared under that name, or was given, is the session's.
    if (hasOwn(globalThis, 'hourglass') && globalThis.hourglass !== this.#notes) return;
    this.#notes = createNotes(checkpoint ?? null);
    defineProperty(globalThis, 'hourglass', hidden(this.#notes));
  }

  #define(name, value) {
    this.#constants.delete(name);
    setGlobal(name, value);
  }

  /** What the texts of a call find under the name of its probe. */
  helpers() {
    const { url, filename, require } = this.main;
    const resolve = (specifier) => resolveModule(String(specifier), url, require);
    const meta = { __proto__: null, url, filename, dirname: '/sandbox', main: true, resolve };
    return { __proto__: null, refuse, meta };
  }

  /** Declares the names of a call: from here on they are its own. */
  declare({ probe, declared, constants, early, anew }) {
    for (const name of declared) this.#constants.delete(name);
    for (const name of constants) this.#constants.add(name);
    if (getOwnPropertyDescriptor(globalThis, probe) === undefined) hideGlobal(probe, this.helpers());
    for (const name of declared) {
      if (anew.has(name)) setGlobal(name, undefined);
      else makeOwn(name, early.has(name));
    }
  }
}

/** Globals of the platform may have getters only: a declared name becomes a plain one that begins with the same value. */
function makeOwn(name, isEarly) {
  const descriptor = getOwnPropertyDescriptor(globalThis, name);
  const isMissing = descriptor === undefined && (isEarly || name in globalThis);
  if (isMissing) setGlobal(name, undefined);
  else if (descriptor !== undefined && descriptor.writable !== true) setGlobal(name, globalThis[name]);
}

function hidden(value) {
  return { __proto__: null, value, writable: true, enumerable: false, configurable: true };
}

/** Gives a global name a value, whatever it was. */
export function setGlobal(name, value) {
  const descriptor = { __proto__: null, value, writable: true, enumerable: true, configurable: true };
  // What was declared as a function cannot be made configurable, only assigned to.
  if (!defineProperty(globalThis, name, descriptor)) set(globalThis, name, value);
}

function refuse() {
  throw new TypeError('Assignment to constant variable.');
}

function resolveModule(specifier, base, require) {
  if (RELATIVE.test(specifier)) return new URL(specifier, base).href;
  if (Module.isBuiltin(specifier)) return specifier.startsWith('node:') ? specifier : `node:${specifier}`;
  return pathToFileURL(require.resolve(specifier)).href;
}
