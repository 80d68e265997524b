/**
 * The top-level declarations of a session's call, as assignments to properties of the global object.
 *
 * V8 has a mode for prompts (`Runtime.evaluate` with `replMode`), and it is not used here: it refuses `let` where an
 * earlier call said `const`, `function` or `var`, knows no `import()` and no `return`, and its names would be in front
 * of the globals that our own modules use. Properties of the global object can be declared again in any way, functions of
 * earlier calls see what they are now, and Node loads modules as ever.
 */
import { blanked, insertion, replacement } from './edits.mjs';
import { namesIn, topLevelNodes } from './syntax-tree.mjs';

const DEFAULT = /^export(?:\s|\/\*[^]*?\*\/|\/\/.*)*default/;

/** The statements of a program's top level, declarations out of their exports. */
export function statementsOf(tree) {
  return tree.body.map((node) => (isNamed(node.declaration) ? node.declaration : node));
}

function isNamed(declaration) {
  return /Declaration$/.test(declaration?.type) && declaration.id !== null;
}

/** Declarations of functions at the top level. */
export function functionsOf(tree) {
  return statementsOf(tree).filter(({ type }) => type === 'FunctionDeclaration');
}

/** Names that `const` and imports declare at the top level. */
export function constantNames(tree) {
  const names = new Set();
  for (const { type, kind, declarations, specifiers } of statementsOf(tree)) {
    if (type === 'ImportDeclaration') for (const { local } of specifiers) names.add(local.name);
    if (type !== 'VariableDeclaration' || kind !== 'const') continue;
    for (const { id } of declarations) for (const name of namesIn(id)) names.add(name);
  }
  return names;
}

/** Edits that leave assignments of the declarations; functions are left out, and what a module imports and exports. */
export function declarationEdits(text, tree, probe) {
  const edits = tree.body.flatMap((node) => moduleEdits(text, node, probe));
  const classes = statementsOf(tree).filter(({ type }) => type === 'ClassDeclaration');
  for (const { id, start, end } of classes) {
    edits.push(insertion(start, `void (${id.name}=`), insertion(end, ');'));
  }
  for (const { start, end } of functionsOf(tree)) {
    // A semicolon: what stands before and behind it are statements of their own.
    edits.push({ start, end, text: `;${blanked(text.slice(start + 1, end))}` });
  }
  return [...edits, ...variableEdits(text, tree)];
}

function variableEdits(text, tree) {
  const own = new Set(statementsOf(tree));
  const heads = new Set();
  const edits = [];
  for (const node of topLevelNodes(tree)) {
    if (/^For/.test(node.type)) heads.add(node.init ?? node.left);
    if (node.type !== 'VariableDeclaration' || !(node.kind === 'var' || own.has(node))) continue;
    if (heads.has(node)) edits.push({ start: node.start, end: node.start + 3, text: '   ' });
    else if (!node.kind.endsWith('using')) edits.push(...assignments(text, node));
  }
  return edits;
}

/** `const a = 1, { b } = c` as `void ( a = 1, { b } = c);`: it begins and ends as a statement wherever it stands. */
function assignments(text, { kind, start, end, declarations }) {
  const last = declarations.at(-1).end;
  const empty = kind === 'var' ? [] : declarations.filter(({ init }) => init === null);
  return [
    { start, end: start + kind.length, text: 'void (' },
    ...empty.map(({ id }) => insertion(id.end, '=void 0')),
    insertion(last, text[end - 1] === ';' && end > last ? ')' : ');'),
  ];
}

function moduleEdits(text, node, probe) {
  const { type, start, end, declaration } = node;
  if (type === 'ImportDeclaration' || type === 'ExportAllDeclaration') return [replacement(text, node, ';')];
  if (type === 'ExportNamedDeclaration') {
    if (declaration === null) return [replacement(text, node, ';')];
    return [replacement(text, { start, end: declaration.start })];
  }
  if (type !== 'ExportDefaultDeclaration') return [];
  if (isNamed(declaration)) return [replacement(text, { start, end: declaration.start })];
  const keywords = { start, end: start + DEFAULT.exec(text.slice(start, end))[0].length };
  const last = text[end - 1] === ';' ? end - 1 : end;
  return [replacement(text, keywords, `;${probe}.exported=(`), insertion(last, ');')];
}
