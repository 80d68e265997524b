/** Where a program's last expression stands. */

const PASSED = /^(?:EmptyStatement|FunctionDeclaration|BreakStatement)$/;

/** Statements whose last statement is the last one of the program too; loops have none that is the last. */
const INSIDE = {
  __proto__: null,
  BlockStatement: ({ body, start }) => lastExpressions(body, start + 1),
  LabeledStatement: ({ body }) => lastExpressions([body]),
  WithStatement: ({ body }) => lastExpressions([body]),
  IfStatement: ({ consequent, alternate }) => ofEach([consequent, alternate]),
  TryStatement: ({ block, handler }) => ofEach([block, handler?.body]),
  SwitchStatement: ({ cases }) => cases.flatMap(({ consequent }) => lastExpressions(consequent)),
};

/**
 * The expression statements with which a list of statements may end: its last one, or in its place those at the ends
 * of the branches and blocks of it; functions below it do not count. Each is `{ statement, behind }`, where `behind` is
 * the position after the statement or the brace in front of it, undefined where there is none. `open` is that of the list.
 */
export function lastExpressions(statements, open) {
  const index = statements.findLastIndex(({ type }) => !PASSED.test(type));
  const statement = statements[index];
  if (statement === undefined) return [];
  if (statement.type !== 'ExpressionStatement') return INSIDE[statement.type]?.(statement) ?? [];
  return statement.directive === 'use strict' ? [] : [{ statement, behind: statements[index - 1]?.end ?? open }];
}

function ofEach(statements) {
  return statements.flatMap((statement) => (statement ? lastExpressions([statement]) : []));
}
