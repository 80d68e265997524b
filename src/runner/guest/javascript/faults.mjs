// What went wrong in a program: its stack without our frames, lines of the user's own source, and the text for stderr.
import { inspect } from 'node:util';

/** File name of the program in stacks. */
export const FILE_NAME = '<code>';

const PLACE = /<code>:(\d+)(?::(\d+))?/;
const PLACES = /<code>:(\d+):(\d+)/g;
const OURS = /\/opt\/hourglass\/|node:internal\/|node:vm:|\bnode:vm\b/;
const FRAME = /^\s+at /;
const Text = String;
const MAX_LINE = 400;

/** Explains errors of one program; `map` turns a place in what ran into one in the source. */
export class Faults {
  constructor(source, map = (line, column) => ({ line, column })) {
    this.lines = source.split(/\r\n|[\n\r\u2028\u2029]/);
    this.map = map;
  }

  /** `{ type, message, line, traceback, shown }` of anything thrown. */
  describe(thrown) {
    if (!isError(thrown)) {
      const shown = `Uncaught ${safely(() => inspect(thrown), 'a value that cannot be shown')}`;
      const message = typeof thrown === 'string' ? thrown : shown.slice('Uncaught '.length);
      return { type: typeOfValue(thrown), message, line: undefined, traceback: shown, shown };
    }
    const stack = this.clean(safely(() => Text(thrown.stack ?? ''), ''));
    const place = placeOf(stack);
    const full = this.clean(safely(() => inspect(thrown), stack));
    const shown = PLACE.test(full.split('\n', 1)[0]) ? full : this.#withLine(place, full);
    return { type: typeOf(thrown), message: messageOf(thrown), line: place?.line, traceback: full, shown };
  }

  /** A program that does not parse, by V8's own error. */
  describeSyntax(error) {
    const described = this.describe(error);
    const first = PLACE.exec(safely(() => Text(error.stack), ''));
    const line = first ? this.map(Number(first[1]), 0).line : described.line;
    // The frames are those of the compiler, not of the program.
    const shown = described.traceback
      .split('\n')
      .filter((text) => !FRAME.test(text))
      .join('\n');
    return { ...described, type: 'SyntaxError', line, traceback: shown, shown };
  }

  /** A fault known by its place only: `{ message, line, column }`. */
  describePlace({ message, line, column }) {
    const shown = this.#withLine({ line, column: column + 1 }, `SyntaxError: ${message}`);
    return { type: 'SyntaxError', message, line, traceback: shown, shown };
  }

  /** A stack with the user's places and without our frames. */
  clean(stack) {
    const lines = stack.split('\n').filter((line) => !FRAME.test(line) || !OURS.test(line));
    return lines.join('\n').replace(PLACES, (_, line, column) => {
      const place = this.map(Number(line), Number(column));
      return `${FILE_NAME}:${place.line}:${place.column}`;
    });
  }

  #withLine(place, text) {
    const source = place === undefined ? undefined : this.lines[place.line - 1];
    if (source === undefined) return text;
    const mark = source.slice(0, Math.max(0, place.column - 1)).replace(/[^\t]/g, ' ');
    const shown = source.length > MAX_LINE ? '' : `${source}\n${mark}^\n`;
    return `${FILE_NAME}:${place.line}\n${shown}\n${text}`;
  }
}

function isError(value) {
  return safely(
    () => value instanceof Error || (typeof value === 'object' && value !== null && typeof value.stack === 'string'),
    false,
  );
}

function placeOf(stack) {
  for (const line of stack.split('\n')) {
    const found = FRAME.test(line) ? PLACE.exec(line) : null;
    if (found) return { line: Number(found[1]), column: Number(found[2] ?? 1) };
  }
  return undefined;
}

function typeOf(error) {
  return safely(() => Text(error.name || error.constructor?.name || 'Error'), 'Error');
}

function typeOfValue(value) {
  if (value === null) return 'null';
  return typeof value === 'object' ? safely(() => Text(value.constructor?.name ?? 'Object'), 'Object') : typeof value;
}

function messageOf(error) {
  return safely(() => Text(error.message), '');
}

function safely(read, otherwise) {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
