import { BOUNDS } from '../contract';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
// A pair, a lone surrogate, any other escape: in this order, so that only the lone ones are replaced.
const ESCAPE = /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|[^])/g;

/** A result's JSON text, or why it is none. */
export type CheckedResult = { readonly json: string } | { readonly fault: string };

/**
 * Checks the bytes of a result: size, nesting and elements, which would take many times their bytes, then whether they are JSON.
 *
 * Half surrogate pairs become U+FFFD: not every reader of JSON takes them. Nothing but `JSON.parse` reads the text, so names
 * such as `__proto__` stay data.
 */
export function checkResultJson(bytes: Buffer): CheckedResult {
  if (bytes.length > BOUNDS.resultBytes) return { fault: `its result is larger than ${BOUNDS.resultBytes} bytes` };
  const excess = excessOf(bytes);
  if (excess !== undefined) return { fault: `its result ${excess}` };
  const json = replaceLoneSurrogates(bytes.toString('utf8'));
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

function replaceLoneSurrogates(json: string): string {
  if (!SURROGATE_ESCAPE.test(json)) return json;
  return json.replace(ESCAPE, (escape, lone: string | undefined) => (lone === undefined ? escape : '\\ufffd'));
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
