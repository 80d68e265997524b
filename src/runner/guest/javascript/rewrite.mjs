/**
 * From a program's text to the text that is compiled: the user's lines stay their own lines, and columns too, except
 * behind an insertion in the same line. All that is added in front is on the first line.
 */
import { applyEdits, columnFinder, insertion } from './edits.mjs';
import { lastExpressions } from './last-expression.mjs';
import { isStrict, lexicalNames, topLevelReturns, varNames } from './syntax-tree.mjs';

/** Parameters of the function that a program becomes: what a CommonJS module finds. */
export const MODULE_NAMES = ['exports', 'require', 'module', '__filename', '__dirname'];
const RESULT = 'result';

/** What the top level of a program declares and says about its result. `tree` may be undefined: it did not parse. */
export function surveyProgram(tree) {
  if (tree === undefined) return { declared: new Set(), hoisted: new Set(), declaresResult: false, isStrict: false };
  const declared = lexicalNames(tree);
  const hoisted = varNames(tree);
  const declaresResult = declared.has(RESULT) || hoisted.has(RESULT);
  return { declared, hoisted, declaresResult, isStrict: isStrict(tree) };
}

/**
 * Edits that make the program tell its result: `probe.value = (last expression)`, `return probe.returned = (…)`.
 * `start` goes in front of everything: the last expression may be the only statement.
 */
export function resultEdits(tree, probe) {
  if (tree === undefined) return { start: '', edits: [] };
  const returns = topLevelReturns(tree).flatMap(({ argument }) => {
    if (argument === null) return [];
    return [insertion(argument.start, `${probe}.returned=(`), insertion(argument.end, ')')];
  });
  const { start, edits } = valueEdits(tree, `${probe}.value=(`);
  return { start, edits: [...returns, ...edits] };
}

function valueEdits(tree, opening) {
  const edits = [];
  let start = '';
  for (const { statement, behind } of lastExpressions(tree)) {
    // On the line before, where there is one, so that the columns of the last expression's lines stay as they are.
    if (behind !== undefined) edits.push(insertion(behind, `;${opening}`));
    else if (tree.body.includes(statement)) start = opening;
    else edits.push(insertion(statement.start, opening));
    edits.push(insertion(statement.expression.end, ')'));
  }
  return { start, edits };
}

/** A first line for the shell is a comment that must stay the first of its line. */
export function hashbangEdits(text) {
  return text.startsWith('#!') ? [{ start: 0, end: 2, text: '//' }] : [];
}

/**
 * A program as a function of CommonJS: `(…parameters) => program function`, as source text, with the number of columns
 * by which its first line is shifted (`shift`), and where else columns were (`originalColumn(line, column)`). The program's own declarations may shadow every parameter.
 */
export function functionSource(text, { tree, isAsync, probe, shadows, kept }) {
  const { start, edits } = resultEdits(tree, probe);
  const survey = surveyProgram(tree);
  const kind = isAsync ? 'async function' : 'function';
  const prefix =
    `(function(${[probe, ...MODULE_NAMES, ...shadows].join(',')}){return ${kind}(){` +
    `${survey.isStrict ? '"use strict";' : ''}${probe}.read=()=>${RESULT};` +
    `${keepInputs(survey, kept, probe)}${start}`;
  const all = [...hashbangEdits(text), ...edits];
  const source = `${prefix}${applyEdits(text, all)}\n}})`;
  return { source, shift: prefix.length, originalColumn: columnFinder(text, all, 0) };
}

/** `var` of an input's name does not hide the input: it begins with its value. */
export function keepInputs({ hoisted, declared }, inputNames, probe) {
  const names = inputNames.filter((name) => hoisted.has(name) && !declared.has(name));
  return names.map((name) => `var ${name}=${probe}.inputs.${name};`).join('');
}
