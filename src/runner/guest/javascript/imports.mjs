/** Import declarations: which names they need, and their text without some of them. */
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

/** The local name under which an import declaration takes all of its module, or undefined. */
export function namespaceImport({ specifiers }) {
  return specifiers.find(isNamespace)?.local.name;
}

/**
 * The text of an import declaration on one line, without the specifiers that `isDropped(local name)` says; empty where
 * none is left of several. `defaultName` takes the module's default export instead of the names in it and of all of it.
 */
export function importText(node, { isDropped = () => false, defaultName } = {}) {
  const kept = node.specifiers.filter(({ local }) => !isDropped(local.name));
  if (kept.length === 0 && node.specifiers.length > 0) return '';
  const isWhole = ({ type }) =>
    type === 'ImportDefaultSpecifier' || (isNamespace({ type }) && defaultName === undefined);
  const whole = kept.filter(isWhole).map(wholeText);
  const named = kept.filter(({ type }) => type === 'ImportSpecifier').map(specifierText);
  const list = defaultName === undefined ? named : [`default as ${defaultName}`];
  const names = list.length > 0 ? [`{${list.join(',')}}`] : [];
  const from = kept.length === 0 ? '' : `${[...whole, ...names].join(',')} from `;
  return `import ${from}${node.source.raw}${attributesText(node.attributes)};`;
}

function isNamespace({ type }) {
  return type === 'ImportNamespaceSpecifier';
}

function wholeText({ type, local }) {
  return isNamespace({ type }) ? `* as ${local.name}` : local.name;
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

/** Whether all that stood between the braces of an import was a type. */
export function importsNothing(text, { specifiers, start, source }) {
  return specifiers.length === 0 && text.slice(start, source.start).includes('{');
}

/** Edits that leave a module that was TypeScript without imports and exports of types. */
export function editsWithoutTypes(text, tree) {
  const unused = unusedImports(tree);
  const isDropped = (name) => unused.has(name);
  const imports = importsOf(tree)
    .filter((node) => importsNothing(text, node) || node.specifiers.some(({ local }) => isDropped(local.name)))
    .map((node) => replacement(text, node, importsNothing(text, node) ? '' : importText(node, { isDropped })));
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
