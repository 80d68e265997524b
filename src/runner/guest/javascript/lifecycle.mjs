/**
 * From the start of a program to the end of its process. The events of `process` pass through here, after the
 * program's own listeners have had them: what nobody handles ends the process, as in Node, and the report is written
 * when nothing of the program can run any more.
 */
import process from 'node:process';
import { setImmediate } from 'node:timers';
import { types } from 'node:util';

const FAILURE = 1;
const HANDLER_FAILURE = 7;
const STACK_FRAMES = 2000;
const WRAPPED_REASON = 'ERR_UNHANDLED_REJECTION';
const NO_STACK = new RangeError('Maximum call stack size exceeded');

const { apply, getOwnPropertyDescriptor } = Reflect;
const { isNativeError } = types;
const { emit, reallyExit } = process;

/**
 * Takes over the events of the process. `callbacks`: `onFatal(error)` says and keeps an error that nobody handled,
 * `onIdle()` runs when the event loop is empty, `conclude(exitCode, isIdle)` writes the report and returns the exit
 * code, once.
 */
export function watchProcess(callbacks) {
  const life = new Life(callbacks);
  const takers = {
    __proto__: null,
    unhandledRejection: (args) => life.onRejection(args),
    uncaughtException: (args) => life.onUncaught(args),
    beforeExit: (args) => life.onBeforeExit(args),
    exit: () => life.onExit(),
  };
  replace('emit', function (...args) {
    const take = typeof args[0] === 'string' ? takers[args[0]] : undefined;
    return take === undefined ? apply(emit, this, args) : take(args);
  });
  replace('reallyExit', (code) => life.exit(code));
}

function replace(name, value) {
  Object.defineProperty(process, name, { value, writable: true, enumerable: false, configurable: true });
}

class Life {
  #callbacks;
  #isConcluded = false;
  #isIdle = false;
  #reason;

  constructor(callbacks) {
    this.#callbacks = callbacks;
  }

  onRejection(args) {
    [, this.#reason] = args;
    return apply(emit, process, args);
  }

  onUncaught(args) {
    const error = this.#thrown(args[1]);
    if (error === NO_STACK) return this.exit(process.exitCode);
    try {
      if (apply(emit, process, args)) return true;
    } catch (second) {
      this.#die(second, HANDLER_FAILURE);
    }
    return this.#die(error, FAILURE);
  }

  /** What was thrown: Node wraps reasons of rejections that are no errors, and tells little of them. */
  #thrown(error) {
    return isNativeError(error) && getOwnPropertyDescriptor(error, 'code')?.value === WRAPPED_REASON
      ? this.#reason
      : error;
  }

  onBeforeExit(args) {
    const isHandled = apply(emit, process, args);
    this.#callbacks.onIdle();
    this.#isIdle = true;
    // Where the loop goes on after all, it is not idle any more; alone, this does not keep it going.
    setImmediate(() => (this.#isIdle = false)).unref();
    return isHandled;
  }

  onExit() {
    const isHandled = this.#emitExit();
    this.#conclude();
    return isHandled;
  }

  /** Ends the process with a code, or with the one that the program set; does not return. */
  exit(code) {
    this.#conclude();
    return apply(reallyExit, process, [code || process.exitCode]);
  }

  #conclude() {
    if (this.#isConcluded) return;
    needStack();
    this.#isConcluded = true;
    const exitCode = this.#callbacks.conclude(process.exitCode, this.#isIdle);
    if (exitCode !== undefined) process.exitCode = exitCode;
  }

  #die(error, exitCode) {
    this.#callbacks.onFatal(error);
    if (!process._exiting) {
      process._exiting = true;
      process.exitCode = process.exitCode || exitCode;
      this.#emitExit();
    }
    return this.exit(process.exitCode || exitCode);
  }

  #emitExit() {
    try {
      return apply(emit, process, ['exit', process.exitCode ?? 0]);
    } catch (error) {
      return this.#die(error, FAILURE);
    }
  }
}

/** Throws NO_STACK where a program that exits has left too little stack for what comes then; thrown, it makes room. */
function needStack() {
  try {
    descend(STACK_FRAMES);
  } catch {
    throw NO_STACK;
  }
}

function descend(frames) {
  return frames === 0 ? 0 : 1 + descend(frames - 1);
}
