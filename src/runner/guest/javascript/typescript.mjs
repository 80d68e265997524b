/** From TypeScript to JavaScript, by what Node itself ships: types are removed, not checked. */
import module from 'node:module';
import { applyEdits, blanked } from './edits.mjs';
import { CODE } from './stack-text.mjs';
import { SyntaxFault } from './syntax-fault.mjs';

const UNSUPPORTED = 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
const INVALID = 'ERR_INVALID_TYPESCRIPT_SYNTAX';
const MAP_COMMENT = /\n\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/;

const GUARD = /^([ \t]*);[ \t]*[([`+-]/gm;
const RETURN = 'Return statement is not allowed here';
const FUNCTION_HEAD = 'async()=>{';
const IMPORT = /^[ \t]*import\b(?!\s*[(.])(?:[^'"`;]*?\bfrom\b)?\s*(['"])[^'"\n]+\1(?:\s*with\s*\{[^}]*\})?[ \t]*;?/gm;

/**
 * JavaScript of a TypeScript program: `{ text, isMapped, originalPlace }`. Where types could be blanked out, every
 * character is where it was; else the text is made anew, ends with its source map, and `originalPlace({ line, column })`
 * finds what a place in it was. Throws SyntaxFault.
 */
export function eraseTypes(text, name = CODE) {
  try {
    return { text: strip(text), isMapped: false };
  } catch (error) {
    if (error.code === INVALID && error.message === RETURN) return eraseInFunction(text);
    if (error.code !== UNSUPPORTED) throw faultOfTypeScript(error);
  }
  return transform(text, name);
}

/** A program that returns at its top level, which TypeScript knows in functions only; imports stay outside of it. */
function eraseInFunction(text) {
  const imports = [...text.matchAll(IMPORT)];
  const body = blank(
    text,
    imports.map((found) => [found.index, found.index + found[0].length]),
  );
  const outside = strip(imports.map(([found]) => found.trim().replace(/\s+/g, ' ').replace(/;?$/, ';')).join(''));
  const wrapped = `${FUNCTION_HEAD}${body}\n}`;
  try {
    const inside = strip(wrapped).slice(FUNCTION_HEAD.length, -1).trimEnd();
    return { text: `${outside}${inside}`, isMapped: false };
  } catch (error) {
    if (error.code !== UNSUPPORTED) throw faultOfTypeScript(error, FUNCTION_HEAD.length);
  }
  const { text: transformed, originalPlace } = transform(wrapped, CODE);
  const [inside, comment] = [transformed.replace(MAP_COMMENT, ''), MAP_COMMENT.exec(transformed)[0]];
  const begin = inside.indexOf('{') + 1;
  return { text: `${outside}${inside.slice(begin, inside.lastIndexOf('}'))}${comment}`, isMapped: true, originalPlace };
}

function blank(text, ranges) {
  return applyEdits(
    text,
    ranges.map(([start, end]) => ({ start, end, text: blanked(text.slice(start, end)) })),
  );
}

function strip(text) {
  return keepStatementsApart(text, module.stripTypeScriptTypes(text, { mode: 'strip' }));
}

/** A semicolon in front of what could continue the line before counts, also where a type in between ended with it. */
function keepStatementsApart(text, stripped) {
  if (stripped.length !== text.length) return stripped;
  const edits = [];
  for (const { index, 0: guard, 1: indent } of text.matchAll(GUARD)) {
    const start = index + indent.length;
    const next = index + guard.length - 1;
    if (stripped[start] === ' ' && stripped[next] === text[next]) edits.push({ start, end: start + 1, text: ';' });
  }
  return applyEdits(stripped, edits);
}

function transform(text, name) {
  try {
    const transformed = module.stripTypeScriptTypes(text, { mode: 'transform', sourceMap: true, sourceUrl: name });
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

function faultOfTypeScript(error, shift = 0) {
  if (error.code !== INVALID && error.code !== UNSUPPORTED) throw error;
  const place = headPlace(String(error.stack));
  if (place?.line === 1) place.column = Math.max(1, place.column - shift);
  return new SyntaxFault(error.message, place);
}

/** The place at the head of the error's stack: `NAME:LINE`, up to three source lines, one of them followed by carets. */
function headPlace(stack) {
  const [head, ...rest] = stack.split('\n');
  const line = Number(/:(\d+)$/.exec(head)?.[1]);
  if (!Number.isInteger(line)) return undefined;
  const carets = rest.find((text) => /^\s*\^+$/.test(text));
  return { line, column: (carets?.indexOf('^') ?? 0) + 1 };
}
