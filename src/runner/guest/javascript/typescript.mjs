// TypeScript without its types; lines and columns of the source are kept or mapped back.
import { SourceMap, stripTypeScriptTypes } from 'node:module';

const UNSUPPORTED = 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
const MAP_COMMENT = /\n?\/\/# sourceMappingURL=data:application\/json;base64,([A-Za-z0-9+/=]+)\s*$/;

/** JavaScript for a TypeScript program: `{ code, map }`; `map` is undefined where places are unchanged. Throws SyntaxError. */
export function withoutTypes(source) {
  try {
    return { code: stripTypeScriptTypes(source, { mode: 'strip' }), map: undefined };
  } catch (error) {
    if (error.code !== UNSUPPORTED) throw error;
  }
  // Enums, namespaces and parameter properties are not types: they become code.
  return withMap(stripTypeScriptTypes(source, { mode: 'transform', sourceMap: true }));
}

function withMap(output) {
  const comment = MAP_COMMENT.exec(output);
  if (comment === null) return { code: output, map: undefined };
  const places = new SourceMap(JSON.parse(Buffer.from(comment[1], 'base64').toString('utf8')));
  const map = (line, column) => {
    const entry = places.findEntry(line - 1, Math.max(0, column - 1));
    return entry.originalLine === undefined ? { line, column } : { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
  };
  return { code: output.slice(0, comment.index), map };
}

/** Place of a fault in TypeScript: the parser's message holds it as `line:column` or in a frame. */
export function placeOfFault(error) {
  const text = String(error.stack ?? error.message);
  const found = /(?:<code>|,-\[|^):?(\d+)(?::(\d+))?/m.exec(text);
  return found ? { line: Number(found[1]), column: Math.max(0, Number(found[2] ?? 1) - 1) } : undefined;
}
