/**
 * The events and the end of the process while it holds a session: what nobody handles ends a call and not the process,
 * and so does `process.exit()`.
 */
import { types } from 'node:util';

const FAILURE = 1;
const HANDLER_FAILURE = 7;
const WRAPPED_REASON = 'ERR_UNHANDLED_REJECTION';

const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor } = Reflect;
const { isNativeError } = types;
const { emit, reallyExit, nextTick, stdout, stderr } = process;

/** The process itself: `process` may be a call's name for something else. */
export const thisProcess = process;

/** What `process.exit()` throws, so that the code that called it goes no further. */
const EXIT = new Error('process.exit() ends this call');
EXIT.stack = String(EXIT);

let reason;

/**
 * Takes over the process. `onFatal(error, exitCode)` is told what nobody handled, `onIdle()` that nothing is left that could run,
 * `onExit()` that the call is to end with `process.exitCode`. None of them may throw.
 */
export function holdProcess({ onFatal, onIdle, onExit }) {
  const takers = {
    __proto__: null,
    unhandledRejection(args) {
      reason = args[1];
      return reason === EXIT || apply(emit, thisProcess, args);
    },
    uncaughtException: (args) => takeUncaught(args, onFatal),
    beforeExit() {
      onIdle();
      return true;
    },
  };
  replace('emit', function (...args) {
    const take = typeof args[0] === 'string' ? takers[args[0]] : undefined;
    return take === undefined ? apply(emit, this, args) : take(args);
  });
  const exit = function (...args) {
    if (args.length > 0) thisProcess.exitCode = args[0];
    onExit();
    throw EXIT;
  };
  Object.defineProperty(exit, 'name', { value: 'exit' });
  replace('exit', exit);
  replace('reallyExit', exit);
}

function replace(name, value) {
  // What Node shows of the process is what `import { … } from 'node:process'` finds.
  const enumerable = getOwnPropertyDescriptor(process, name)?.enumerable ?? false;
  Object.defineProperty(process, name, { value, writable: true, enumerable, configurable: true });
}

function takeUncaught(args, onFatal) {
  const error = args[1];
  if (error === EXIT) return true;
  try {
    if (!apply(emit, thisProcess, args)) onFatal(thrown(error), FAILURE);
  } catch (second) {
    if (second !== EXIT) onFatal(second, HANDLER_FAILURE);
  }
  return true;
}

/** What was thrown: Node wraps reasons of rejections that are no errors, and tells little of them. */
function thrown(error) {
  const isWrapped = isNativeError(error) && getOwnPropertyDescriptor(error, 'code')?.value === WRAPPED_REASON;
  return isWrapped ? reason : error;
}

/** Ends the process, at last; does not return. */
export function endProcess(code) {
  apply(reallyExit, thisProcess, [code]);
}

/** Drops what is printed from here on; returns what ends that. */
export function mute() {
  const undo = [stdout, stderr].map((stream) => {
    const own = getOwnPropertyDescriptor(stream, 'write');
    defineProperty(stream, 'write', { __proto__: null, value: drop, writable: true, configurable: true });
    return () => {
      if (own === undefined) deleteProperty(stream, 'write');
      else defineProperty(stream, 'write', { __proto__: null, ...own });
    };
  });
  return () => undo.forEach((restore) => restore());
}

function drop(...args) {
  const onWritten = args[args.length - 1];
  if (typeof onWritten === 'function') nextTick(onWritten);
  return true;
}
