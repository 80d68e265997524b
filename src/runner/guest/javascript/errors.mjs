/** Errors that end a program, as its user should read them. */
import { inspect, types } from 'node:util';
import { CODE, cleanStack, ownPlace, showPlace } from './stack-text.mjs';

const MAX_TYPE = 500;
const MAX_MESSAGE = 8 * 1024;
const MAX_TRACEBACK = 64 * 1024;
const HEAD = /^<code(?: \d+)?>:(\d+)\n.*\n\s*\^+\s*\n/;
const { isNativeError } = types;
// Before any program: in a session its own classes are global too.
const PLATFORM = new Set(Object.getOwnPropertyNames(globalThis));

/**
 * An error that nobody handled, or any other value that was thrown, as
 * `{ code, type, message, line, traceback }`; the traceback is what Node would print, without frames of the runtime.
 * `originalColumn(line, column)` and `shift` are as in cleanStack; `locate(text of the error)` finds the place of an error whose
 * stack does not touch the program: `{ line, column }`. `name` is the program's name.
 */
export function describeError(error, lines, { originalColumn, shift, locate = () => undefined, name = CODE } = {}) {
  const { shown, line } = splitHead(cleanStack(showError(error), originalColumn, shift));
  const ofStack = ownPlace(cleanStack(stackOf(error) ?? '', originalColumn, shift), name);
  const place = ofStack ?? locate(shown) ?? (line === undefined ? undefined : { line, column: 1 });
  const traceback = place === undefined ? shown : `${showPlace(name, lines, place)}\n${shown}`;
  const { type, message } = nameAndMessage(error);
  return {
    code: 'RUNTIME_ERROR',
    type: type.slice(0, MAX_TYPE),
    message: bound(message, MAX_MESSAGE),
    line: place?.line,
    traceback: bound(traceback, MAX_TRACEBACK),
  };
}

/** What Node puts in front of errors of linking: place, line and caret in the text that was compiled, which is ours. */
function splitHead(text) {
  const [head, line] = HEAD.exec(text) ?? ['', undefined];
  return { shown: text.slice(head.length), line: line === undefined ? undefined : Number(line) };
}

/** An error of the program's own syntax. `place` is `{ line, column }`, both from 1, or undefined. */
export function describeSyntaxError(said, place, lines, name = CODE) {
  const message = bound(said, MAX_MESSAGE);
  const shown = `SyntaxError: ${message}`;
  const traceback = place === undefined ? shown : `${showPlace(name, lines, place)}\n${shown}`;
  return { code: 'SYNTAX_ERROR', type: 'SyntaxError', message, line: place?.line, traceback };
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
  if (isError(error)) return guarded(() => inspect(error), 'Error');
  return `Uncaught ${guarded(() => inspect(error), 'value')}`;
}

// What another thread threw is rebuilt here with the right prototype only.
function isError(value) {
  return isObject(value) && (isNativeError(value) || guarded(() => value instanceof Error, false));
}

function isObject(value) {
  return typeof value === 'object' && value !== null;
}

function nameAndMessage(error) {
  const isLikeError = isObject(error) && typeof guarded(() => error.message) === 'string';
  if (!isLikeError) return { type: thrownType(error), message: showError(error) };
  const type = guarded(() => (isError(error) ? errorType(error) : thrownType(error)), 'Error');
  return { type, message: guarded(() => error.message, '') };
}

function thrownType(value) {
  if (!isObject(value)) return value === null ? 'null' : typeof value;
  return guarded(() => nonEmpty(value.name) ?? nonEmpty(value.constructor.name)) ?? 'Object';
}

/** The error's own name; a class that gives its errors none lends them its own. */
function errorType(error) {
  const name = nonEmpty(error.name) ?? 'Error';
  const className = nonEmpty(error.constructor?.name);
  const isPlatform = PLATFORM.has(className) && error.constructor === globalThis[className];
  const isOwnClass = className !== undefined && !isPlatform;
  const isUnnamed = globalThis[name]?.prototype?.name === name && !Object.hasOwn(error, 'name');
  return isOwnClass && isUnnamed ? className : name;
}

function nonEmpty(text) {
  return typeof text === 'string' && text !== '' ? text : undefined;
}
