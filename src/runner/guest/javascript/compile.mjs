/** From a program's text to something that can be started. */
import vm from 'node:vm';
import { unusedName } from './edits.mjs';
import { moduleSource } from './module-source.mjs';
import { parseProgram } from './parse.mjs';
import { functionSource, surveyProgram } from './rewrite.mjs';
import { CODE } from './stack-text.mjs';
import { faultOf, SyntaxFault, v8Fault } from './syntax-fault.mjs';
import { topLevelAwaits } from './syntax-tree.mjs';
import { eraseTypes } from './typescript.mjs';

const PROBE = '__hourglass';

/**
 * Compiles a program. `inputNames` are those of all inputs, `shadows` those that the program gets as names of its own.
 *
 * Returns `{ goal, probe, declaresResult, awaits, tree, originalColumn, shift }` (`awaits`: the places where it awaits at its top level) with `factory` (goals `function` and `async`: a function of
 * the probe, MODULE_NAMES and the shadows, which returns the program) or `writeModule` (goal `module`: a function of
 * the imports to take by default, which returns the text of an ES module). Throws SyntaxFault where it does not parse.
 */
export function compileProgram(text, { language, inputNames, shadows }) {
  const erased = language === 'typescript' ? eraseTypes(text) : { text, isMapped: false };
  const parsed = parseProgram(erased.text, language === 'typescript');
  const goal = erased.isMapped ? 'module' : parsed.goal;
  const { tree } = parsed;
  if (tree === undefined) refuseUnlessCompiles(erased, parsed);
  const probe = unusedName(text, PROBE);
  const options = { tree, probe, shadows, kept: inputNames, isTypeScript: language === 'typescript' };
  const { declaresResult } = surveyProgram(tree);
  const awaits = topLevelAwaits(tree).map(({ loc: { start } }) => ({ line: start.line, column: start.column + 1 }));
  const compiled = { goal, probe, tree, declaresResult, awaits, originalColumn: sameColumn, shift: 0 };
  if (erased.isMapped) compiled.awaits = awaits.map(erased.originalPlace);
  if (goal === 'module') compiled.writeModule = writeModule;
  else Object.assign(compiled, compileFunction(erased.text, { ...options, isAsync: goal === 'async' }));
  return compiled;

  function writeModule(byDefault) {
    const { source, originalColumn } = moduleSource(erased.text, { ...options, byDefault });
    // Columns of a text that was made anew are found by its source map.
    if (!erased.isMapped) compiled.originalColumn = originalColumn;
    return source;
  }
}

function sameColumn(_line, column) {
  return column;
}

/** V8 has the last word on scripts: it may know more syntax than the parser. */
export function refuseUnlessCompiles(erased, { goal, fault }) {
  if (goal === 'module' || erased.isMapped) throw faultOf(erased, fault);
  try {
    vm.compileFunction(erased.text, [], { filename: CODE });
  } catch (error) {
    throw v8Fault(error, erased, fault);
  }
}

function compileFunction(text, options) {
  const { source, shift, originalColumn } = functionSource(text, options);
  try {
    const script = new vm.Script(source, {
      filename: CODE,
      columnOffset: -shift,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    return { factory: script.runInThisContext(), originalColumn, shift };
  } catch (error) {
    throw v8Fault(error, { text }, undefined);
  }
}

export { SyntaxFault };
