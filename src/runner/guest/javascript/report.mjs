/** The report of a program: one line of JSON, a line feed, then the result's JSON (docs/protocol.md). */
const MAX_WARNINGS = 50;
const MAX_WARNING = 1000;

/**
 * The bytes of a report. `result` is JSON text or undefined; `error` is
 * `{ code, type, message, line, traceback }` or undefined, where `line` and `traceback` may be undefined.
 */
export function encodeReport({ result, source, error, warnings }) {
  const header = [
    '"v":1',
    `"hasResult":${result !== undefined}`,
    `"source":${result === undefined ? 'null' : quote(source)}`,
    `"error":${error === undefined ? 'null' : encodeError(error)}`,
    `"warnings":[${warnings.slice(0, MAX_WARNINGS).map(encodeWarning).join(',')}]`,
  ];
  return Buffer.from(`{${header.join(',')}}\n${result ?? ''}`);
}

// Primitives only reach JSON.stringify: an object would be asked for a `toJSON` that the program may have added.
function quote(text) {
  return JSON.stringify(String(text).toWellFormed());
}

function encodeWarning(text) {
  return quote(text.slice(0, MAX_WARNING));
}

function encodeError({ code, type, message, line, traceback }) {
  const parts = [`"code":${quote(code)}`, `"type":${quote(type)}`, `"message":${quote(message)}`];
  if (line !== undefined) parts.push(`"line":${line}`);
  if (traceback !== undefined) parts.push(`"traceback":${quote(traceback)}`);
  return `{${parts.join(',')}}`;
}
