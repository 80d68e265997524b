/** Imports of CommonJS packages that are to be taken out of the package's default export. */
import { isBuiltin } from 'node:module';
import { importsOf, namedImports, namespaceImport } from './imports.mjs';
import { nodesOf } from './syntax-tree.mjs';

/**
 * Which imports name what only the default export of their module has, or take all of it, as with CommonJS packages that
 * Node cannot look into: a set of declarations. Runs the modules in their order; what fails here fails again, and is told, when the
 * program is loaded.
 */
export async function importsByDefault(tree, importFrom) {
  const found = new Set();
  const declarations = importsOf(tree);
  const isOpaque = (node) =>
    !isBuiltin(node.source.value) && (namedImports(node).length > 0 || usesNamespace(node, tree));
  const last = declarations.findLastIndex(isOpaque);
  for (const node of declarations.slice(0, last + 1)) {
    const module = await load(node, importFrom);
    if (module === undefined || !isOpaque(node)) continue;
    if (hasNamesInDefault(node, module) || isHiddenInDefault(node, module)) found.add(node);
  }
  return found;
}

/** Imports the module of a declaration. */
export function importNode({ source, attributes }, importFrom) {
  const chosen = Object.fromEntries(attributes.map(({ key, value }) => [key.name ?? key.value, value.value]));
  return importFrom(source.value, { with: chosen });
}

async function load(node, importFrom) {
  try {
    return await importNode(node, importFrom);
  } catch {
    return undefined;
  }
}

function hasNamesInDefault(node, module) {
  const missing = namedImports(node).filter(([imported]) => !(imported in module));
  const { default: inner } = module;
  if (missing.length === 0 || (typeof inner !== 'object' && typeof inner !== 'function') || inner === null)
    return false;
  return namedImports(node).every(([imported]) => imported in inner);
}

/** Whether a namespace is that of a CommonJS package of which it shows less than there is, or which is a function. */
function isHiddenInDefault(node, module) {
  const { default: inner } = module;
  if (namespaceImport(node) === undefined || !('module.exports' in module)) return false;
  if (typeof inner === 'function') return true;
  return typeof inner === 'object' && inner !== null && Object.keys(inner).some((name) => !(name in module));
}

/** Whether a program takes all of a module, and not its default export out of that. */
function usesNamespace(node, tree) {
  const local = namespaceImport(node);
  if (local === undefined) return false;
  for (const { type, object, property } of nodesOf(tree)) {
    if (type === 'MemberExpression' && object.name === local && property.name === 'default') return false;
  }
  return true;
}
