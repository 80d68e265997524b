/** What a program ended with: its result, or the error that ended it. */
import { EventEmitter } from 'node:events';
import { clearImmediate, clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { toJson } from './serialiser.mjs';

// What `setTimeout(…)` or `server.on(…)` as a last line leave behind is no result that anybody meant.
const MACHINERY = [EventEmitter, classOf(setTimeout, clearTimeout), classOf(setImmediate, clearImmediate)];

const SOURCE_NAMES = {
  variable: 'result',
  return: 'the returned value',
  expression: 'the value of the last expression',
};

/**
 * The result of a program as `{ result, source, error, warnings }`. `choice` is `{ source, value }`: an expression
 * that cannot be JSON is a warning, anything else an error.
 */
export function serialiseResult({ source, value }, limits, settled) {
  const name = SOURCE_NAMES[source];
  try {
    if (source === 'expression' && MACHINERY.some((kind) => value instanceof kind)) {
      return withWarning(source, `${name} is a ${value.constructor.name}: it has no JSON form`);
    }
    const result = toJson(value, limits, settled, source === 'variable' ? 'result' : 'value');
    const isDropped = result === undefined && value !== undefined && source !== 'expression';
    if (isDropped) return withWarning(source, `${name} is a ${typeof value}: it has no JSON form`);
    return { result, source, error: undefined, warnings: [] };
  } catch (failure) {
    const { type, message } = describeFailure(failure);
    const text = `${name} cannot be turned into JSON: ${message}`;
    if (source === 'expression') return withWarning(source, text);
    const error = { code: 'RUNTIME_ERROR', type, message: text, line: undefined, traceback: undefined };
    return { result: undefined, source, error, warnings: [] };
  }
}

function describeFailure(failure) {
  try {
    if (typeof failure?.type === 'string') return { type: failure.type, message: failure.message };
    if (typeof failure?.message !== 'string') return { type: 'Error', message: String(failure) };
    return { type: String(failure.name), message: failure.message };
  } catch {
    return { type: 'Error', message: 'its properties cannot be read' };
  }
}

function withWarning(source, text) {
  return { result: undefined, source, error: undefined, warnings: [text] };
}

function classOf(start, cancel) {
  const timer = start(() => {});
  cancel(timer);
  return timer.constructor;
}
