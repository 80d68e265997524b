/** Import declarations: which names they need, and what they become where a package has those names in its default export. */
import { isBuiltin } from 'node:module';
import { replacement } from './edits.mjs';
import { lexicalNames, nodesOf, varNames } from './syntax-tree.mjs';

/** The import declarations of a program, in order. */
export function importsOf(tree) {
  return tree.body.filter(({ type }) => type === 'ImportDeclaration');
}

/** Names an import declaration takes out of its module by name, `[imported, local]` each. */
export function namedImports({ specifiers }) {
  return specifiers
    .filter(({ type }) => type === 'ImportSpecifier')
    .map(({ imported, local }) => [imported.name ?? imported.value, local.name]);
}

/**
 * The text of an import declaration on one line, without the specifiers that `isDropped(local name)` says; empty where
 * none is left of several. `defaultName` takes the module's default export instead of the names in it.
 */
export function importText(node, { isDropped = () => false, defaultName } = {}) {
  const kept = node.specifiers.filter(({ local }) => !isDropped(local.name));
  if (kept.length === 0 && node.specifiers.length > 0) return '';
  const whole = kept.filter(({ type }) => type !== 'ImportSpecifier').map(wholeText);
  const named = kept.filter(({ type }) => type === 'ImportSpecifier').map(specifierText);
  const list = defaultName === undefined ? named : [`default as ${defaultName}`];
  const names = list.length > 0 && (named.length > 0 || defaultName !== undefined) ? [`{${list.join(',')}}`] : [];
  const from = kept.length === 0 ? '' : `${[...whole, ...names].join(',')} from `;
  return `import ${from}${node.source.raw}${attributesText(node.attributes)};`;
}

function wholeText({ type, local }) {
  return type === 'ImportNamespaceSpecifier' ? `* as ${local.name}` : local.name;
}

function specifierText({ imported, local }) {
  return `${imported.name ?? imported.raw} as ${local.name}`;
}

function attributesText(attributes) {
  if (!attributes?.length) return '';
  return ` with {${attributes.map(({ key, value }) => `${key.name ?? key.raw}:${value.raw}`).join(',')}}`;
}

/** Local names of imports that the program uses nowhere as a value: in TypeScript those are types. */
export function unusedImports(tree) {
  const unused = new Set(importsOf(tree).flatMap(({ specifiers }) => specifiers.map(({ local }) => local.name)));
  if (unused.size === 0) return unused;
  for (const node of nodesOf(tree, ({ type }) => type !== 'ImportDeclaration')) {
    for (const name of namesUsedBy(node)) unused.delete(name);
  }
  return unused;
}

/** Names that a node's own children use as values, keys of properties left out. */
function namesUsedBy(node) {
  const names = [];
  for (const key of Object.keys(node)) {
    const isName = (key === 'property' || key === 'key') && !node.computed && !node.shorthand;
    if (isName) continue;
    for (const child of [node[key]].flat()) if (child?.type === 'Identifier') names.push(child.name);
  }
  return names;
}

/** Edits that leave a module that was TypeScript without imports and exports of types. */
export function editsWithoutTypes(text, tree) {
  const unused = unusedImports(tree);
  const isDropped = (name) => unused.has(name);
  const imports = importsOf(tree)
    .filter(({ specifiers }) => specifiers.some(({ local }) => isDropped(local.name)))
    .map((node) => replacement(text, node, importText(node, { isDropped })));
  return [...imports, ...typeExportEdits(text, tree)];
}

/** Edits that leave names out of export lists that nothing declares: types. */
export function typeExportEdits(text, tree) {
  const declared = new Set([...lexicalNames(tree), ...varNames(tree)]);
  const isValue = ({ local }) => declared.has(local.name);
  const lists = tree.body.filter(({ type, source, declaration }) => {
    return type === 'ExportNamedDeclaration' && source === null && declaration === null;
  });
  return lists
    .filter(({ specifiers }) => !specifiers.every(isValue))
    .map((node) => replacement(text, node, `export {${node.specifiers.filter(isValue).map(exportedText).join(',')}};`));
}

function exportedText({ local, exported }) {
  return `${local.name} as ${exported.name ?? exported.raw}`;
}

/**
 * Which imports name what only the default export of their module has, as CommonJS packages do that Node cannot look
 * into: a set of declarations. Runs the modules in their order; what fails here fails again, and is told, when the
 * program is loaded.
 */
export async function importsByDefault(tree, importFrom) {
  const found = new Set();
  const declarations = importsOf(tree);
  const isOpaque = (node) => namedImports(node).length > 0 && !isBuiltin(node.source.value);
  const last = declarations.findLastIndex(isOpaque);
  for (const node of declarations.slice(0, last + 1)) {
    const module = await load(node, importFrom);
    if (module !== undefined && isOpaque(node) && hasNamesInDefault(node, module)) found.add(node);
  }
  return found;
}

async function load({ source, attributes }, importFrom) {
  const chosen = Object.fromEntries(attributes.map(({ key, value }) => [key.name ?? key.value, value.value]));
  try {
    return await importFrom(source.value, { with: chosen });
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
