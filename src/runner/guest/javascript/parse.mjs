/** What kind of program a text is: the goal it is run as, and its syntax tree. */
import { acorn } from './acorn.mjs';
import { nodesOf, topLevelAwaits } from './syntax-tree.mjs';

const OPTIONS = { ecmaVersion: 'latest', allowHashBang: true, locations: true, allowReturnOutsideFunction: true };
// TypeScript's types are exported like values, and are gone.
const TypeScriptParser = acorn.Parser.extend(
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
    const parser = isTypeScript ? TypeScriptParser : acorn.Parser;
    return { ...attempt(text, { sourceType: 'module' }, parser), goal: 'module' };
  }
  if (asScript.tree !== undefined && !usesAwaitAsName(asScript.tree)) {
    return { ...asScript, goal: topLevelAwaits(asScript.tree).length > 0 ? 'async' : 'function' };
  }
  const withoutAwait = attempt(text, { sourceType: 'script', allowAwaitOutsideFunction: false });
  return { ...(withoutAwait.tree === undefined ? asScript : withoutAwait), goal: 'function' };
}

/** Outside of modules `await` may be an ordinary name; a program where it is one does not await at its top level. */
function usesAwaitAsName(tree) {
  for (const { type, name } of nodesOf(tree)) if (type === 'Identifier' && name === 'await') return true;
  return false;
}

function attempt(text, options, parser = acorn.Parser) {
  try {
    return { tree: parser.parse(text, { ...OPTIONS, ...options }), fault: undefined };
  } catch (fault) {
    return { tree: undefined, fault };
  }
}
