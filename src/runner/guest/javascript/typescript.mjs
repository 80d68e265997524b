/** From TypeScript to JavaScript, by what Node itself ships: types are removed, not checked. */
import module from 'node:module';
import { CODE } from './stack-text.mjs';
import { SyntaxFault } from './syntax-fault.mjs';

const UNSUPPORTED = 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
const INVALID = 'ERR_INVALID_TYPESCRIPT_SYNTAX';
const MAP_COMMENT = /\n\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/;

/**
 * JavaScript of a TypeScript program: `{ text, isMapped, originalPlace }`. Where types could be blanked out, every
 * character is where it was; else the text is made anew, ends with its source map, and `originalPlace({ line, column })`
 * finds what a place in it was. Throws SyntaxFault.
 */
export function eraseTypes(text) {
  try {
    return { text: module.stripTypeScriptTypes(text, { mode: 'strip' }), isMapped: false };
  } catch (error) {
    if (error.code !== UNSUPPORTED) throw faultOfTypeScript(error);
  }
  return transform(text);
}

function transform(text) {
  const options = { mode: 'transform', sourceMap: true, sourceUrl: CODE };
  try {
    const transformed = module.stripTypeScriptTypes(text, options);
    return { text: transformed, isMapped: true, originalPlace: placeFinder(transformed) };
  } catch (error) {
    throw faultOfTypeScript(error);
  }
}

function placeFinder(transformed) {
  return ({ line, column }) => {
    const [, encoded] = MAP_COMMENT.exec(transformed) ?? [];
    if (encoded === undefined) return { line, column };
    const map = new module.SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')));
    const { originalLine, originalColumn } = map.findEntry(line - 1, column - 1);
    return originalLine === undefined ? undefined : { line: originalLine + 1, column: originalColumn + 1 };
  };
}

function faultOfTypeScript(error) {
  if (error.code !== INVALID && error.code !== UNSUPPORTED) throw error;
  return new SyntaxFault(error.message, headPlace(String(error.stack)));
}

/** The place at the head of the error's stack: `NAME:LINE`, up to three source lines, one of them followed by carets. */
function headPlace(stack) {
  const [head, ...rest] = stack.split('\n');
  const line = Number(/:(\d+)$/.exec(head)?.[1]);
  if (!Number.isInteger(line)) return undefined;
  const carets = rest.find((text) => /^\s*\^+$/.test(text));
  return { line, column: (carets?.indexOf('^') ?? 0) + 1 };
}
