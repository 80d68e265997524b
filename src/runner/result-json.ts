import { BOUNDS } from '../contract';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;

const LETTER_U = 0x75;
const LETTER_D = 0x64;
const LOWER_CASE = 0x20;

/** Bytes of an escape such as `\ud800`. */
const ESCAPE_BYTES = 6;
/** What stands behind `\u` of U+FFFD. */
const REPLACEMENT = Buffer.from('fffd');

/** A result's JSON text, or why it is none. */
export type CheckedResult = { readonly json: string } | { readonly fault: string };

/**
 * Checks the bytes of a result: size, nesting and elements, which would take many times their bytes, then whether they are JSON.
 *
 * Half surrogate pairs become U+FFFD, in the bytes themselves: not every reader of JSON takes them. Nothing but `JSON.parse`
 * reads the text, so names such as `__proto__` stay data.
 */
export function checkResultJson(bytes: Buffer): CheckedResult {
  if (bytes.length > BOUNDS.resultBytes) return { fault: `its result is larger than ${BOUNDS.resultBytes} bytes` };
  const excess = excessOf(bytes);
  if (excess !== undefined) return { fault: `its result ${excess}` };
  replaceLoneSurrogates(bytes);
  const json = bytes.toString('utf8');
  return parseJson(json) === undefined ? { fault: 'its result is not JSON' } : { json };
}

/** The value of a JSON text; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** In place: both take as many bytes, and a text of nothing but escapes must not become as many objects. */
function replaceLoneSurrogates(bytes: Buffer): void {
  for (let at = bytes.indexOf(BACKSLASH); at >= 0 && at < bytes.length; at += 1) {
    if (bytes[at] !== BACKSLASH) continue;
    const half = halfAt(bytes, at);
    const isPair = half === 'high' && halfAt(bytes, at + ESCAPE_BYTES) === 'low';
    if (half !== undefined && !isPair) REPLACEMENT.copy(bytes, at + 2);
    // What follows a backslash is no backslash of its own.
    at += isPair ? 2 * ESCAPE_BYTES - 1 : 1;
  }
}

/** Which half of a surrogate pair is escaped at a place; undefined for anything else. */
function halfAt(bytes: Buffer, at: number): 'high' | 'low' | undefined {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U || ((bytes[at + 2] ?? 0) | LOWER_CASE) !== LETTER_D)
    return undefined;
  const kind = hexDigit(bytes[at + 3]) ?? 0;
  const isOther = kind < 8 || hexDigit(bytes[at + 4]) === undefined || hexDigit(bytes[at + 5]) === undefined;
  if (isOther) return undefined;
  return kind < 0xc ? 'high' : 'low';
}

/** The value of a character of a hexadecimal number. */
function hexDigit(byte = 0): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = (byte | LOWER_CASE) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : undefined;
}

/** What JSON text has too much of; looks at what is outside of strings only, before anything is parsed. */
function excessOf(bytes: Buffer): string | undefined {
  const { jsonDepth, resultElements } = BOUNDS;
  let [depth, containers, commas] = [0, 0, 0];
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) inString = !inString;
    else if (inString) index += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA) commas += 1;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      containers += 1;
      if (depth > jsonDepth + 1) return `nests deeper than ${jsonDepth} levels`;
    }
    // Each container but the outermost one is an element itself.
    if (commas >= resultElements || containers > resultElements + 1) return `has more than ${resultElements} elements`;
  }
  return undefined;
}
