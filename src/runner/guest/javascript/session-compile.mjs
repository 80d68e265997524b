/** From the text of a session's call to something that can be started. */
import vm from 'node:vm';
import { refuseUnlessCompiles } from './compile.mjs';
import { unusedName } from './edits.mjs';
import { resultName } from './module-source.mjs';
import { parseProgram } from './parse.mjs';
import { surveyProgram } from './rewrite.mjs';
import { assignedNames } from './session-constants.mjs';
import { constantNames } from './session-declarations.mjs';
import { callSource } from './session-source.mjs';
import { faultOf, v8Fault } from './syntax-fault.mjs';
import { topLevelAwaits, topLevelNodes } from './syntax-tree.mjs';
import { eraseTypes } from './typescript.mjs';

const PROBE = '__hourglass';
// What TypeScript would merge with one of the same name: in a later call it begins anew.
const MERGED = /\b(?:enum|namespace|module)\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu;
const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;

/**
 * Compiles a call and runs nothing of it. `name` is what it is called in stacks, `shadows` are inputs that the call gets
 * as names of its own, `constants` those of earlier calls.
 *
 * Returns `{ tree, text, probe, isAsync, awaits, declared, constants, early, anew, resultName, declaresResult,
 * assignsResult, shadows, functions, factory, originalPlace, shift }`: `declared` are all names of its top level,
 * `constants` those that cannot be assigned to, `early` those that are there before it begins, `anew` those that are
 * undefined then, `functions` a script or undefined, `factory` a function of the probe and the shadows that returns the
 * program. Throws SyntaxFault.
 */
export function compileCall(text, { language, name, shadows, constants }) {
  const isTypeScript = language === 'typescript';
  const erased = isTypeScript ? eraseTypes(text) : { text, isMapped: false };
  const parsed = parseProgram(erased.text, isTypeScript);
  const { tree, goal } = parsed;
  if (tree === undefined) throw faultWithoutTree(erased, parsed);
  const survey = surveyProgram(tree);
  const isStrict = goal === 'module' || survey.isStrict;
  const declared = new Set([...survey.declared, ...survey.hoisted]);
  const own = constantNames(tree);
  const known = new Set([...constants].filter((constant) => !declared.has(constant)));
  const call = {
    tree,
    text: erased.text,
    probe: unusedName(text, PROBE),
    isAsync: goal !== 'function',
    declared,
    constants: own,
    // In sloppy code a name is there when it is assigned to, and unknown before that, as it should be.
    early: isStrict || erased.isMapped ? declared : survey.hoisted,
    anew: new Set(erased.isMapped ? [...text.matchAll(MERGED)].map(([, merged]) => merged) : []),
    resultName: resultName(tree),
    declaresResult: declared.has(resultName(tree)),
    assignsResult: assignsResult(tree),
    shadows: shadows.filter((shadow) => !declared.has(shadow)),
  };
  const sources = callSource(erased.text, { ...call, isStrict, constants: new Set([...known, ...own]) });
  const originalPlace = placeFinder(erased, sources.originalColumn);
  const awaits = topLevelAwaits(tree).map(({ loc: { start } }) => ({ line: start.line, column: start.column + 1 }));
  call.awaits = erased.isMapped ? awaits.map(erased.originalPlace) : awaits;
  return { ...call, ...compileSources(sources, name, erased), originalPlace, shift: sources.body.shift };
}

/** Without a tree there is nothing to run; V8's words for what is wrong are preferred. */
function faultWithoutTree(erased, parsed) {
  try {
    refuseUnlessCompiles(erased, parsed);
  } catch (fault) {
    return fault;
  }
  return faultOf(erased, parsed.fault);
}

function assignsResult(tree) {
  for (const node of topLevelNodes(tree)) if (assignedNames(node).includes('result')) return true;
  return false;
}

function compileSources({ functions, body }, name, erased) {
  const compile = ({ source, shift }) =>
    new vm.Script(source, { filename: name, columnOffset: -shift, importModuleDynamically });
  try {
    return {
      functions: functions === undefined ? undefined : compile(functions),
      factory: compile(body).runInThisContext(),
    };
  } catch (error) {
    throw v8Fault(error, { text: erased.text }, undefined);
  }
}

/** `(line, column)` of the compiled text as `{ line, column }` of the user's. */
function placeFinder({ isMapped, originalPlace }, originalColumn) {
  return (line, column) => {
    const place = { line, column: originalColumn(line, column) };
    return isMapped ? (originalPlace(place) ?? place) : place;
  };
}
