/** A program that has import or export, as the text of a real ES module. */
import { applyEdits, columnFinder, insertion, replacement, unusedName } from './edits.mjs';
import { importsNothing, importsOf, importText, namedImports, namespaceImport } from './imports.mjs';
import { typeExportEdits, unusedImports } from './imports.mjs';
import { hashbangEdits, keepInputs, MODULE_NAMES, resultEdits, surveyProgram } from './rewrite.mjs';
import { CODE } from './stack-text.mjs';
import { topLevelReturns } from './syntax-tree.mjs';

/**
 * The module's text (`source`), in which the user's lines stay their own, and where its columns were
 * (`originalColumn(line, column)`). What CommonJS has besides (`require`, `module`, …) is there too
 * where the program names it and does not declare it. `byDefault` holds the imports that are to be taken out of their
 * module's default export. A program that returns at its top level becomes an async function in the module.
 */
export function moduleSource(text, { tree, probe, shadows, kept, isTypeScript, byDefault = new Set() }) {
  const survey = surveyProgram(tree);
  const { start, edits } = resultEdits(tree, probe);
  const imports = rewriteImports(text, tree, { byDefault, isTypeScript });
  const isFunction = topLevelReturns(tree).length > 0;
  const prefix = [
    isFunction ? imports.texts.join('') : '',
    imports.constants,
    surroundings(text, new Set([...MODULE_NAMES, ...shadows]), survey, probe),
    text.includes('import.meta.main') ? 'import.meta.main=true;' : '',
    isFunction ? 'await(async()=>{' : '',
    `${probe}.read=()=>${resultName(tree)};`,
    keepInputs(survey, kept, probe),
    start,
  ];
  const typeExports = isTypeScript ? typeExportEdits(text, tree) : [];
  const moved = isFunction ? stripModuleSyntax(text, tree) : [...imports.edits, ...typeExports];
  const all = [...hashbangEdits(text), ...edits, ...moved];
  const front = prefix.join('');
  const source = `${front}${applyEdits(text, all)}${isFunction ? '\n})();' : ''}\n//# sourceURL=${CODE}\n`;
  return { source, originalColumn: columnFinder(text, all, front.length) };
}

function rewriteImports(text, tree, { byDefault, isTypeScript }) {
  const unused = isTypeScript ? unusedImports(tree) : new Set();
  const isDropped = (name) => unused.has(name);
  const rewritten = { texts: [], edits: [], constants: '' };
  for (const node of importsOf(tree)) {
    const defaultName = byDefault.has(node) ? unusedName(text, `__default${rewritten.texts.length}`) : undefined;
    const isType = isTypeScript && importsNothing(text, node);
    const written = isType ? '' : importText(node, { isDropped, defaultName });
    rewritten.texts.push(written);
    const isSame = defaultName === undefined && !isType && !node.specifiers.some(({ local }) => isDropped(local.name));
    if (!isSame) rewritten.edits.push(replacement(text, node, written));
    if (defaultName !== undefined && written !== '') rewritten.constants += constantsFrom(defaultName, node);
  }
  return rewritten;
}

function constantsFrom(defaultName, node) {
  const namespace = namespaceImport(node);
  if (namespace !== undefined) return `const ${namespace}=${defaultName};`;
  const names = namedImports(node);
  return `const {${names.map(([imported, local]) => `${JSON.stringify(imported)}:${local}`).join(',')}}=${defaultName};`;
}

/** The program's own name of what it exports as `result`. */
export function resultName(tree) {
  for (const { type, source, specifiers } of tree.body) {
    if (type !== 'ExportNamedDeclaration' || source !== null) continue;
    const found = specifiers.find(({ exported }) => exported.name === 'result');
    if (found !== undefined) return found.local.name;
  }
  return 'result';
}

function surroundings(text, names, { declared, hoisted }, probe) {
  const needed = [...names].filter((name) => text.includes(name) && !declared.has(name) && !hoisted.has(name));
  return needed.length === 0 ? '' : `const {${needed.join(',')}}=${probe}.names;`;
}

/** Edits that leave the statements of a module without import and export. */
function stripModuleSyntax(text, tree) {
  return tree.body.flatMap((node) => {
    if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return [replacement(text, node)];
    if (node.type === 'ExportNamedDeclaration') {
      if (node.declaration === null) return [replacement(text, node)];
      return [replacement(text, { start: node.start, end: node.declaration.start })];
    }
    return node.type === 'ExportDefaultDeclaration' ? stripDefault(text, node) : [];
  });
}

function stripDefault(text, { start, declaration }) {
  const keyword = { start, end: declaration.start };
  const isNamed = /^(?:Function|Class)Declaration$/.test(declaration.type) && declaration.id !== null;
  if (isNamed) return [replacement(text, keyword)];
  return [replacement(text, keyword, '('), insertion(declaration.end, ')')];
}
