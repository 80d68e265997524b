/** The modules that a session's call imports, as values of its names: functions of later calls find those too. */
import { importNode, importsByDefault } from './default-imports.mjs';
import { importsNothing, importsOf, unusedImports } from './imports.mjs';

/** Loads them in order; gives `[name, value]` pairs. `importFrom(specifier, options)` loads one. */
export async function loadImports({ tree, text, isTypeScript }, importFrom) {
  const byDefault = await importsByDefault(tree, importFrom);
  // What this call uses nowhere may be a type, and may as well be for a call to come.
  const unused = isTypeScript ? unusedImports(tree) : new Set();
  const values = [];
  for (const node of importsOf(tree)) {
    if (isTypeScript && importsNothing(text, node)) continue;
    const isOptional = ({ local }) => unused.has(local.name);
    const module = await load(node, importFrom, node.specifiers.length > 0 && node.specifiers.every(isOptional));
    if (module !== undefined) values.push(...namesOf(node, module, byDefault.has(node), isOptional));
  }
  return values;
}

async function load(node, importFrom, isOptional) {
  try {
    return await importNode(node, importFrom);
  } catch (error) {
    if (isOptional) return undefined;
    throw error;
  }
}

function namesOf({ specifiers, source }, module, isByDefault, isOptional) {
  const inner = isByDefault ? module.default : module;
  return specifiers.flatMap((specifier) => {
    const { type, local, imported } = specifier;
    if (type === 'ImportNamespaceSpecifier') return [[local.name, inner]];
    const holder = type === 'ImportDefaultSpecifier' ? module : inner;
    const name = type === 'ImportDefaultSpecifier' ? 'default' : (imported.name ?? imported.value);
    if (name in holder) return [[local.name, holder[name]]];
    if (isOptional(specifier)) return [];
    throw new SyntaxError(`The requested module '${source.value}' does not provide an export named '${name}'`);
  });
}
