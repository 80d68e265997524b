/** What kind of program a text is: the goal it is run as, and its syntax tree. */
import { acorn } from './acorn.mjs';
import { nodesOf, topLevelAwaits } from './syntax-tree.mjs';

const OPTIONS = { ecmaVersion: 'latest', allowHashBang: true, locations: true, allowReturnOutsideFunction: true };
// The top level of a program becomes a function or a module, where `using` may stand.
const ProgramParser = acorn.Parser.extend(
  (Parser) =>
    class extends Parser {
      get allowUsing() {
        return this.scopeStack.length === 1 || super.allowUsing;
      }
    },
);
// TypeScript's types are exported like values, and are gone.
const TypeScriptParser = ProgramParser.extend(
  (Parser) =>
    class extends Parser {
      checkLocalExport() {}
    },
);
const NEEDS_MODULE = /'import' and 'export' may appear only|Cannot use 'import\.meta' outside a module/;

/**
 * Parses a program: `{ goal, tree, fault }`.
 *
 * `goal` is `function` (CommonJS), `async` (CommonJS that awaits at its top level) or `module` (has import, export or
 * import.meta). `fault` is what the parser says where the text does not parse: an error with `pos` and `loc`; `tree`
 * is undefined then. `isTypeScript`: the text was TypeScript, and may export types that are no longer in it.
 */
export function parseProgram(text, isTypeScript = false) {
  const asScript = attempt(text, { sourceType: 'script', allowAwaitOutsideFunction: true });
  if (NEEDS_MODULE.test(asScript.fault?.message)) {
    const parser = isTypeScript ? TypeScriptParser : ProgramParser;
    return { ...attempt(text, { sourceType: 'module' }, parser), goal: 'module' };
  }
  if (asScript.tree !== undefined && !usesAwaitAsName(asScript.tree)) {
    return { ...asScript, goal: topLevelAwaits(asScript.tree).length > 0 ? 'async' : 'function' };
  }
  const withoutAwait = attempt(text, { sourceType: 'script', allowAwaitOutsideFunction: false });
  const parsed = withoutAwait.tree === undefined ? asScript : withoutAwait;
  const literal = parsed.tree === undefined ? literalAlone(text) : undefined;
  return literal ?? { ...parsed, goal: 'function' };
}

/** Outside of modules `await` may be an ordinary name; a program where it is one does not await at its top level. */
function usesAwaitAsName(tree) {
  for (const { type, name } of nodesOf(tree)) if (type === 'Identifier' && name === 'await') return true;
  return false;
}

function attempt(text, options, parser = ProgramParser) {
  try {
    const tree = parser.parse(text, { ...OPTIONS, ...options });
    readLastBlock(text, tree, options);
    return { tree, fault: undefined };
  } catch (fault) {
    return { tree: undefined, fault };
  }
}

/** `{ a, b: 1 }` as the last statement is meant as an object, as Node's own prompt reads it. */
function readLastBlock(text, { body }, options) {
  const { type, start, end } = body.at(-1) ?? {};
  const literal = type === 'BlockStatement' ? literalAt(text, start, options) : undefined;
  if (literal === undefined || literal.end !== end || literal.properties.length === 0) return;
  if (!literal.properties.some(isMethod)) body.splice(-1, 1, statementOf(literal));
}

/** What is no program otherwise may be an object. */
function literalAlone(text) {
  const { type, start } = firstToken(text);
  if (type !== acorn.tokTypes.braceL) return undefined;
  const literal = literalAt(text, start, { sourceType: 'script', allowAwaitOutsideFunction: true });
  if (literal === undefined || firstToken(text.slice(literal.end)).type !== acorn.tokTypes.eof) return undefined;
  const tree = { type: 'Program', start: 0, end: text.length, body: [statementOf(literal)] };
  return { tree, fault: undefined, goal: topLevelAwaits(tree).length > 0 ? 'async' : 'function' };
}

function firstToken(text) {
  try {
    return acorn.tokenizer(text, OPTIONS).getToken();
  } catch {
    return {};
  }
}

function literalAt(text, position, options) {
  try {
    const literal = ProgramParser.parseExpressionAt(text, position, { ...OPTIONS, ...options });
    return literal.type === 'ObjectExpression' ? literal : undefined;
  } catch {
    return undefined;
  }
}

function isMethod({ method, kind }) {
  return method || (kind !== undefined && kind !== 'init');
}

function statementOf(expression) {
  const { start, end, loc } = expression;
  return { type: 'ExpressionStatement', start, end, loc, expression };
}
