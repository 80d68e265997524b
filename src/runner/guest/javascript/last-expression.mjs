/** Where a program's last expression stands. Iterative: a chain of branches may be deeper than the stack. */

const PASSED = /^(?:EmptyStatement|FunctionDeclaration|BreakStatement)$/;

/** Statements whose last statement is the last one of the program too, as lists; loops have none that is the last. */
const INSIDE = {
  __proto__: null,
  BlockStatement: ({ body, start }) => [{ statements: body, open: start + 1 }],
  LabeledStatement: ({ body }) => [{ statements: [body] }],
  WithStatement: ({ body }) => [{ statements: [body] }],
  IfStatement: ({ consequent, alternate }) => listsOf(consequent, alternate),
  TryStatement: ({ block, handler }) => listsOf(block, handler?.body),
  SwitchStatement: ({ cases }) => cases.map(({ consequent }) => ({ statements: consequent })),
};

/**
 * The expression statements with which a program may end: its last one, or in its place those at the ends of the
 * branches and blocks of it; functions below it do not count. Each is `{ statement, behind }`, where `behind` is
 * the position after the statement or the brace in front of it, undefined where there is none.
 */
export function lastExpressions(tree) {
  const found = [];
  const pending = [{ statements: tree.body }];
  while (pending.length > 0) {
    const { statements, open } = pending.pop();
    const index = statements.findLastIndex((statement) => !isPassed(statement));
    const statement = statements[index];
    if (statement?.type !== 'ExpressionStatement') pending.push(...(INSIDE[statement?.type]?.(statement) ?? []));
    else if (statement.directive !== 'use strict')
      found.push({ statement, behind: statements[index - 1]?.end ?? open });
  }
  return found;
}

/** What has no value: the one before counts. Namespaces of TypeScript become `var` without a value at the end. */
function isPassed({ type, kind, declarations }) {
  return PASSED.test(type) || (kind === 'var' && declarations.every(({ init }) => init === null));
}

function listsOf(...statements) {
  return statements.filter(Boolean).map((statement) => ({ statements: [statement] }));
}
