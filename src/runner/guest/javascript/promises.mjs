/** Waits for the promises in a result, without keeping the process alive and without hiding a rejection. */
import { types } from 'node:util';

const MAX_VISITED = 10_000;

// This runs while the program does, which may have replaced any method.
const uncurry = Function.prototype.bind.bind(Function.prototype.call);
const { isMap, isPromise, isSet } = types;
const { getOwnPropertyDescriptor } = Reflect;
const { keys: keysOf } = Object;
const { isView } = ArrayBuffer;
const then = uncurry(Promise.prototype.then);
const forEachOfMap = uncurry(Map.prototype.forEach);
const forEachOfSet = uncurry(Set.prototype.forEach);
const resolve = Promise.resolve.bind(Promise);
const OwnSet = Set;
const put = uncurry(Map.prototype.set);
const has = uncurry(Set.prototype.has);
const add = uncurry(Set.prototype.add);

/** A value, or a promise for it where it is some other thenable: those are awaited like promises. */
export function adopt(value) {
  try {
    const isThenable =
      typeof value === 'object' && value !== null && !isPromise(value) && typeof value.then === 'function';
    return isThenable ? resolve(value) : value;
  } catch {
    return value;
  }
}

/** What promises were fulfilled with, as far as it is known. */
export class Settlements {
  values = new Map();
  #watched = new Set();
  #open = 0;
  #onFulfilled;

  /** `onFulfilled()` is called whenever a promise that is followed was fulfilled. */
  constructor(onFulfilled = () => undefined) {
    this.#onFulfilled = onFulfilled;
  }

  /** Whether a promise that is followed is open, as far as it is known. */
  get isWaiting() {
    return this.#open > 0;
  }

  /** Whether a value is a promise that has not settled as far as it is known. */
  isOpen(value) {
    return isPromise(value) && !this.values.has(value);
  }

  /**
   * Follows every promise that a value holds, and those that they are fulfilled with. A rejection stays unhandled, so
   * that the process treats it as it treats any other.
   */
  follow(value) {
    const promises = promisesIn(value);
    for (let index = 0; index < promises.length; index += 1) {
      const promise = promises[index];
      if (has(this.#watched, promise)) continue;
      add(this.#watched, promise);
      this.#open += 1;
      then(promise, (fulfilled) => {
        put(this.values, promise, fulfilled);
        this.#open -= 1;
        this.follow(fulfilled);
        this.#onFulfilled();
      });
    }
  }
}

/** Promises in plain data: in arrays, maps, sets and objects, behind no getter. */
function promisesIn(root) {
  const found = [];
  const seen = new OwnSet();
  const pending = [];
  const push = (value) => {
    if (typeof value !== 'object' || value === null || isView(value) || has(seen, value)) return;
    add(seen, value);
    pending[pending.length] = value;
  };
  push(root);
  for (let index = 0; index < pending.length && index < MAX_VISITED; index += 1) {
    const value = pending[index];
    if (isPromise(value)) found[found.length] = value;
    else visit(value, push);
  }
  return found;
}

function visit(value, push) {
  try {
    if (isMap(value)) return forEachOfMap(value, push);
    if (isSet(value)) return forEachOfSet(value, push);
    const keys = keysOf(value);
    for (let index = 0; index < keys.length; index += 1) push(getOwnPropertyDescriptor(value, keys[index])?.value);
  } catch {
    // A proxy that refuses has nothing to wait for.
  }
  return undefined;
}
