/** Questions about a syntax tree (ESTree). Iterative: a tree may be deeper than the stack. */

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'StaticBlock']);

function pushChildren(node, pending) {
  for (const key of Object.keys(node)) {
    const value = node[key];
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) {
      if (isNode(value)) pending.push(value);
    } else for (const item of value) if (isNode(item)) pending.push(item);
  }
}

function isNode(value) {
  return typeof value?.type === 'string';
}

/** All nodes of a tree, in no order. `enters(node)` says whether a node's children are visited. */
export function* nodesOf(root, enters = () => true) {
  const pending = [root];
  while (pending.length > 0) {
    const node = pending.pop();
    yield node;
    if (enters(node)) pushChildren(node, pending);
  }
}

/** Nodes that run as part of the program's top level: everything but the bodies of functions and of class fields. */
export function* topLevelNodes(tree) {
  const pending = [tree];
  while (pending.length > 0) {
    const node = pending.pop();
    yield node;
    if (FUNCTIONS.has(node.type)) continue;
    if (node.type === 'PropertyDefinition' || node.type === 'MethodDefinition') {
      if (node.computed) pending.push(node.key);
    } else pushChildren(node, pending);
  }
}

/** Nodes by which a program awaits at its top level; none where the tree is undefined. */
export function topLevelAwaits(tree) {
  return tree === undefined ? [] : [...topLevelNodes(tree)].filter(isAwait);
}

function isAwait({ type, await: isForAwait, kind }) {
  if (type === 'VariableDeclaration') return kind === 'await using';
  return type === 'AwaitExpression' || (type === 'ForOfStatement' && isForAwait);
}

/** Names that a binding pattern declares. */
export function namesIn(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => namesIn(property.value ?? property.argument));
    case 'ArrayPattern':
      return pattern.elements.flatMap(namesIn);
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    default:
      return [];
  }
}

/** Names that `var` declares at the top level, in blocks too. */
export function varNames(tree) {
  const names = new Set();
  for (const node of topLevelNodes(tree)) {
    if (node.type !== 'VariableDeclaration' || node.kind !== 'var') continue;
    for (const { id } of node.declarations) for (const name of namesIn(id)) names.add(name);
  }
  return names;
}

/** Names that functions, classes, imports, `let` and `const` declare at the top level. */
export function lexicalNames(tree) {
  const names = new Set();
  for (const statement of tree.body) for (const name of declaredBy(statement)) names.add(name);
  return names;
}

function declaredBy(statement) {
  switch (statement?.type) {
    case 'ImportDeclaration':
      return statement.specifiers.map(({ local }) => local.name);
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
      return declaredBy(statement.declaration);
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return namesIn(statement.id);
    case 'VariableDeclaration':
      return statement.kind === 'var' ? [] : statement.declarations.flatMap(({ id }) => namesIn(id));
    default:
      return [];
  }
}

/** Whether the program begins with "use strict". */
export function isStrict(tree) {
  for (const { directive } of tree.body) {
    if (directive === undefined) return false;
    if (directive === 'use strict') return true;
  }
  return false;
}

/** `return` statements of the top level. */
export function topLevelReturns(tree) {
  return [...topLevelNodes(tree)].filter((node) => node.type === 'ReturnStatement');
}
