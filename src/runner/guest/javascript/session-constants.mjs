/**
 * Assignments to constants. What a session's call declares with `const` is a property that a later call may declare
 * again, so that an assignment has to be refused where it stands.
 */
import { insertion, replacement } from './edits.mjs';
import { statementsOf } from './session-declarations.mjs';
import { namesIn, nodesOf } from './syntax-tree.mjs';

/** Edits that let assignments to constants throw. A name that is declared once more below the top level is left alone. */
export function constantEdits(text, tree, constants, probe) {
  if (constants.size === 0) return [];
  const assignments = [...nodesOf(tree)].filter((node) => assignedNames(node).some((name) => constants.has(name)));
  if (assignments.length === 0) return [];
  const nested = nestedNames(tree);
  const isConstant = (name) => constants.has(name) && !nested.has(name);
  return assignments.flatMap((node) => (assignedNames(node).some(isConstant) ? refusal(text, node, probe) : []));
}

/** Names that a node gives another value, declarations left out. */
export function assignedNames({ type, left, argument }) {
  switch (type) {
    case 'AssignmentExpression':
      return namesIn(left);
    case 'ForInStatement':
    case 'ForOfStatement':
      return left.type === 'VariableDeclaration' ? [] : namesIn(left);
    case 'UpdateExpression':
      return namesIn(argument);
    default:
      return [];
  }
}

function refusal(text, node, probe) {
  const { type, argument, right } = node;
  if (type === 'UpdateExpression') return [replacement(text, node, `${probe}.refuse(${argument.name})`)];
  return [insertion(right.start, `${probe}.refuse((`), insertion(right.end, '))')];
}

function nestedNames(tree) {
  const own = new Set(statementsOf(tree));
  const names = new Set();
  for (const node of nodesOf(tree)) {
    for (const pattern of patternsIn(node, own.has(node))) for (const name of namesIn(pattern)) names.add(name);
  }
  return names;
}

function patternsIn({ type, id, params = [], param, declarations = [] }, isOwn) {
  if (/Function/.test(type)) return isOwn ? params : [id, ...params];
  if (type === 'CatchClause') return [param];
  if (isOwn) return [];
  if (type === 'VariableDeclaration') return declarations.map((declarator) => declarator.id);
  return /^Class(?:Declaration|Expression)$/.test(type) ? [id] : [];
}
