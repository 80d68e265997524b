/**
 * From the start of a program to the end of its process. The events of `process` pass through here, after the
 * program's own listeners have had them: what nobody handles ends the process, as in Node, and the report is written
 * when nothing of the program can run any more.
 */
import { setImmediate } from 'node:timers';

const FAILURE = 1;
const HANDLER_FAILURE = 7;

const { apply } = Reflect;
const { reallyExit } = process;
const { emit } = process;

/**
 * Takes over the events of the process. `callbacks`: `onFatal(error)` says and keeps an error that nobody handled,
 * `onIdle()` runs when the event loop is empty, `conclude(exitCode, isIdle)` writes the report and returns the exit
 * code, once.
 */
export function watchProcess({ onFatal, onIdle, conclude }) {
  let isConcluded = false;
  let isIdle = false;

  function concludeOnce() {
    if (isConcluded) return;
    isConcluded = true;
    const exitCode = conclude(process.exitCode, isIdle);
    if (exitCode !== undefined) process.exitCode = exitCode;
  }

  function die(error, exitCode) {
    onFatal(error);
    if (!process._exiting) {
      process._exiting = true;
      process.exitCode = process.exitCode || exitCode;
      emitExit();
    }
    concludeOnce();
    apply(reallyExit, process, [process.exitCode || exitCode]);
  }

  function emitExit() {
    try {
      return apply(emit, process, ['exit', process.exitCode ?? 0]);
    } catch (error) {
      return die(error, FAILURE);
    }
  }

  const takers = {
    __proto__: null,
    uncaughtException(args) {
      try {
        if (apply(emit, process, args)) return true;
      } catch (error) {
        die(error, HANDLER_FAILURE);
      }
      return die(args[1], FAILURE);
    },
    beforeExit(args) {
      const handled = apply(emit, process, args);
      onIdle();
      isIdle = true;
      // Where the loop goes on after all, it is not idle any more; alone, this does not keep it going.
      setImmediate(() => (isIdle = false)).unref();
      return handled;
    },
    exit() {
      const handled = emitExit();
      concludeOnce();
      return handled;
    },
  };

  replace('emit', function (...args) {
    const take = typeof args[0] === 'string' ? takers[args[0]] : undefined;
    return take === undefined ? apply(emit, this, args) : take(args);
  });
  replace('reallyExit', function (code) {
    concludeOnce();
    return apply(reallyExit, process, [code || process.exitCode]);
  });
}

function replace(name, value) {
  Object.defineProperty(process, name, { value, writable: true, enumerable: false, configurable: true });
}
