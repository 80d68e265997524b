/**
 * From a program's text to the text that is compiled: the user's lines stay their own lines, and columns too, except
 * behind an insertion in the same line. All that is added in front is on the first line.
 */
import { isStrict, lastExpression, lexicalNames, topLevelReturns, varNames } from './syntax-tree.mjs';

/** Parameters of the function that a program becomes: what a CommonJS module finds. */
export const MODULE_NAMES = ['exports', 'require', 'module', '__filename', '__dirname'];
const RESULT = 'result';

/** A name that does not occur in the text. */
export function unusedName(text, name) {
  let unused = name;
  while (text.includes(unused)) unused += '_';
  return unused;
}

/** The text with insertions, `[position, text]` each. Those of one position keep their order. */
export function insert(text, insertions) {
  const sorted = [...insertions].sort(([a], [b]) => a - b);
  let written = '';
  let from = 0;
  for (const [position, addition] of sorted) {
    written += text.slice(from, position) + addition;
    from = position;
  }
  return written + text.slice(from);
}

/** What the top level of a program declares and says about its result. `tree` may be undefined: it did not parse. */
export function surveyProgram(tree) {
  if (tree === undefined) return { declared: new Set(), hoisted: new Set(), declaresResult: false, isStrict: false };
  const declared = lexicalNames(tree);
  const hoisted = varNames(tree);
  const declaresResult = declared.has(RESULT) || hoisted.has(RESULT);
  return { declared, hoisted, declaresResult, isStrict: isStrict(tree) };
}

/**
 * Insertions that make the program tell its result: `probe.value = (last expression)`, `return probe.returned = (…)`.
 * `start` goes in front of everything: the last expression may be the only statement.
 */
export function resultInsertions(tree, probe) {
  if (tree === undefined) return { start: '', insertions: [] };
  const returns = topLevelReturns(tree).flatMap(({ argument }) => {
    if (argument === null) return [];
    return [
      [argument.start, `${probe}.returned=(`],
      [argument.end, ')'],
    ];
  });
  const last = lastExpression(tree);
  if (last === undefined) return { start: '', insertions: returns };
  const opening = `${probe}.value=(`;
  const closing = [last.expression.end, ')'];
  // Behind the statement before, so that the columns of the last expression's lines stay as they are.
  if (last.previous === undefined) return { start: opening, insertions: [...returns, closing] };
  return { start: '', insertions: [...returns, [last.previous.end, `;${opening}`], closing] };
}

/**
 * A program as a function of CommonJS: `(…parameters) => program function`, as source text, with the number of columns
 * by which its first line is shifted. The program's own declarations may shadow every parameter.
 */
export function functionSource(text, { tree, isAsync, probe, shadows, kept }) {
  const { start, insertions } = resultInsertions(tree, probe);
  const survey = surveyProgram(tree);
  const kind = isAsync ? 'async function' : 'function';
  const prefix =
    `(function(${[probe, ...MODULE_NAMES, ...shadows].join(',')}){return ${kind}(){` +
    `${survey.isStrict ? '"use strict";' : ''}${probe}.read=()=>${RESULT};` +
    `${keepInputs(survey, kept, probe)}${start}`;
  const hidden = text.startsWith('#!') ? `//${text.slice(2)}` : text;
  return { source: `${prefix}${insert(hidden, insertions)}\n}})`, shift: prefix.length };
}

/** `var` of an input's name does not hide the input: it begins with its value. */
export function keepInputs({ hoisted, declared }, inputNames, probe) {
  const names = inputNames.filter((name) => hoisted.has(name) && !declared.has(name));
  return names.map((name) => `var ${name}=${probe}.inputs.${name};`).join('');
}
