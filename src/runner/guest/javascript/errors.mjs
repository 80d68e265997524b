/** Errors that end a program, as its user should read them. */
import { inspect, types } from 'node:util';
import { CODE, cleanStack, ownPlace } from './stack-text.mjs';

const MAX_MESSAGE = 8 * 1024;
const MAX_TRACEBACK = 64 * 1024;
const SHOWN_LINE = 240;
const { isNativeError } = types;

/**
 * An error that nobody handled, or any other value that was thrown, as
 * `{ code, type, message, line, traceback }`; the traceback is what Node would print, without frames of the runtime.
 */
export function describeError(error, lines) {
  const stack = stackOf(error);
  const shown = cleanStack(showError(error));
  const place = stack === undefined ? undefined : ownPlace(cleanStack(stack));
  const traceback = place === undefined ? shown : `${excerpt(lines, place)}\n${shown}`;
  const { type, message } = nameAndMessage(error);
  return {
    code: 'RUNTIME_ERROR',
    type,
    message: bound(message, MAX_MESSAGE),
    line: place?.line,
    traceback: bound(traceback, MAX_TRACEBACK),
  };
}

/** An error of the program's own syntax. `place` is `{ line, column }`, both from 1, or undefined. */
export function describeSyntaxError(message, place, lines) {
  const shown = `SyntaxError: ${message}`;
  const traceback = place === undefined ? shown : `${excerpt(lines, place)}\n${shown}`;
  return { code: 'SYNTAX_ERROR', type: 'SyntaxError', message, line: place?.line, traceback };
}

/** The place, the source line and a caret, as Node prints them. */
export function excerpt(lines, { line, column }) {
  const text = lines[line - 1] ?? '';
  // A window: the one line of a minified program may be a megabyte long.
  const from = Math.max(0, Math.min(column - 1, text.length) - SHOWN_LINE / 2);
  const caret = text.slice(from, column - 1).replace(/[^\t]/g, ' ');
  return `${CODE}:${line}\n${text.slice(from, from + SHOWN_LINE)}\n${caret}^\n`;
}

function bound(text, max) {
  if (text.length <= max) return text;
  const half = max / 2;
  return `${text.slice(0, half)}\n... ${text.length - max} characters left out ...\n${text.slice(-half)}`;
}

function guarded(read, otherwise) {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

function stackOf(error) {
  const stack = guarded(() => error?.stack);
  return typeof stack === 'string' ? stack : undefined;
}

function showError(error) {
  if (isObject(error) && isNativeError(error)) return guarded(() => inspect(error), 'Error');
  return `Uncaught ${guarded(() => inspect(error), 'value')}`;
}

function isObject(value) {
  return typeof value === 'object' && value !== null;
}

function nameAndMessage(error) {
  const isLikeError = isObject(error) && typeof guarded(() => error.message) === 'string';
  if (!isLikeError) return { type: thrownType(error), message: `Uncaught ${guarded(() => inspect(error), 'value')}` };
  const type = guarded(() => typeName(error), 'Error');
  return { type, message: guarded(() => error.message, '') };
}

function thrownType(value) {
  return isObject(value)
    ? guarded(() => value.constructor.name, 'Object') || 'Object'
    : value === null
      ? 'null'
      : typeof value;
}

/** The error's own name; a class that gives its errors none lends them its own. */
function typeName(error) {
  const name = typeof error.name === 'string' && error.name !== '' ? error.name : 'Error';
  const className = error.constructor?.name;
  const isInherited = !Object.hasOwn(error, 'name') && Error[Symbol.hasInstance](error);
  const isBuiltIn = error.constructor === globalThis[className] || typeof className !== 'string' || className === '';
  return isInherited && !isBuiltIn && /^(?:\w*Error)$/.test(name) && globalThis[name]?.prototype?.name === name
    ? className
    : name;
}
