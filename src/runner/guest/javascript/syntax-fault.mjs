/** Why a program does not parse, in V8's words and with the user's line and column. */
import { acorn } from './acorn.mjs';

/** A program that does not parse; `place` is `{ line, column }`, both from 1, or undefined. */
export class SyntaxFault extends Error {
  constructor(message, place) {
    super(message);
    this.place = place;
  }
}

const POSITION = / \(\d+:\d+\)$/;
const AWAIT_OR_MODULE = /await is only valid|Cannot use import statement|Unexpected token 'export'|import\.meta/;
const TOO_DEEP = 'The program is nested too deep to be parsed';
const DECORATOR = 'Decorators are not supported: V8 does not know them, and TypeScript’s are not transformed';

/** A SyntaxFault from what the parser says of a text. */
export function faultOf({ text, originalPlace }, fault) {
  const { pos, loc } = fault;
  if (pos === undefined) return new SyntaxFault(TOO_DEEP, undefined);
  const place = { line: loc.line, column: loc.column + 1 };
  const message = text[pos] === '@' ? DECORATOR : inWordsOfV8(fault.message.replace(POSITION, ''), text, pos);
  return new SyntaxFault(message, originalPlace === undefined ? place : originalPlace(place));
}

function inWordsOfV8(message, text, pos) {
  if (message !== 'Unexpected token') return message;
  const { type, value, end } = tokenAt(text, pos);
  if (type === acorn.tokTypes.eof) return 'Unexpected end of input';
  if (type === acorn.tokTypes.string) return 'Unexpected string';
  if (type === acorn.tokTypes.num) return 'Unexpected number';
  if (type === acorn.tokTypes.name) return `Unexpected identifier '${value}'`;
  if (type === undefined) return 'Invalid or unexpected token';
  return `Unexpected token '${text.slice(pos, end)}'`;
}

function tokenAt(text, pos) {
  try {
    const { type, value, end } = acorn.tokenizer(text.slice(pos), { ecmaVersion: 'latest' }).getToken();
    return { type, value, end: pos + end };
  } catch {
    return {};
  }
}

/** A SyntaxFault from what V8 says of a function; where it stumbles over `await` or modules, what the parser says counts. */
export function v8Fault(error, erased, fault) {
  const isParsersCase = !(error instanceof SyntaxError) || AWAIT_OR_MODULE.test(error.message);
  if (fault !== undefined && (isParsersCase || erased.text[fault.pos] === '@')) return faultOf(erased, fault);
  if (error instanceof RangeError) return new SyntaxFault(TOO_DEEP, undefined);
  return new SyntaxFault(error.message, v8Place(error, erased.text) ?? placeOf(fault));
}

function placeOf(fault) {
  return fault?.loc === undefined ? undefined : { line: fault.loc.line, column: fault.loc.column + 1 };
}

/** The place at the head of a V8 syntax error's stack: `<code>:LINE`, the source line, a line with carets. */
function v8Place(error, text) {
  const [head, shown, carets] = String(error.stack).split('\n');
  const found = /^<code(?: \d+)?>:(\d+)$/.exec(head);
  if (found === null) return undefined;
  const line = Number(found[1]);
  const source = text.split(/\r\n|[\n\r\u2028\u2029]/)[line - 1] ?? '';
  // The first line is shown with what is in front of the program.
  const column = (carets?.indexOf('^') ?? -1) + 1 - Math.max(0, shown.length - source.length);
  return { line, column: Math.max(1, column) };
}
