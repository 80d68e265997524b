// From program text to something V8 runs, with the user's own line numbers kept.
import { createRequire } from 'node:module';
import { edited } from './edits.mjs';

const acorn = createRequire(import.meta.url)('acorn');

/** Name under which a rewritten program reaches the runtime. */
export const RUNTIME = '__hourglass';

const COMMON = { ecmaVersion: 'latest', allowHashBang: true };
const TOP_LEVEL = { allowAwaitOutsideFunction: true, allowReturnOutsideFunction: true };

// The first reading that parses is what the program is: most are plain scripts.
const READINGS = [
  { kind: 'script', options: { ...COMMON, sourceType: 'script' } },
  { kind: 'function', options: { ...COMMON, ...TOP_LEVEL, sourceType: 'script' } },
  { kind: 'module', options: { ...COMMON, ...TOP_LEVEL, sourceType: 'module' } },
];

/** How a program is to be run, or `undefined` where no reading parses: then V8 says what is wrong. */
export function readProgram(code) {
  for (const { kind, options } of READINGS) {
    try {
      return { kind, tree: acorn.parse(code, options) };
    } catch {
      // The next reading allows more.
    }
  }
  return undefined;
}

/** What the most permissive parser says of a program that does not parse: `{ message, line, column }`. */
export function explainFault(code) {
  try {
    acorn.parse(code, READINGS[2].options);
    return undefined;
  } catch (error) {
    return {
      message: error.message.replace(/ \(\d+:\d+\)$/, ''),
      line: error.loc?.line ?? 1,
      column: error.loc?.column ?? 0,
    };
  }
}

/** Whether the last statement has a value of its own. */
export function endsInExpression(tree) {
  const last = tree.body[tree.body.length - 1];
  return last?.type === 'ExpressionStatement' && last.directive === undefined;
}

/**
 * A program with top-level await, return or module syntax as the body of an async function: `{ body, prefixLength }`.
 *
 * Every edit stays on its line, so that lines are the user's own.
 */
export function asFunctionBody(code, tree) {
  const text = edited(code);
  const imports = [];
  if (code.startsWith('#!')) text.replace(0, 2, '//');
  for (const statement of tree.body) STATEMENTS[statement.type]?.(statement, text, imports, code);
  if (endsInExpression(tree)) captureValue(tree.body[tree.body.length - 1].expression, text);
  if (code.includes('import.meta')) replaceMeta(tree, text);
  const reader = `${RUNTIME}.onResult(() => result);`;
  const prefix = `return (async () => { ${reader} ${imports.join(' ')} `;
  return { body: `${prefix}${text.toString()}\n})();`, prefixLength: prefix.length };
}

function captureValue(expression, text) {
  text.insert(expression.start, `${RUNTIME}.value((`);
  text.insert(expression.end, '))');
}

const literal = (value) => JSON.stringify(value);
const nameOf = (node) => (node.type === 'Literal' ? node.value : node.name);

function importOf(statement, imports) {
  const attributes = Object.fromEntries(
    (statement.attributes ?? []).map((entry) => [nameOf(entry.key), entry.value.value]),
  );
  const name = `${RUNTIME}_${imports.length}`;
  imports.push(`const ${name} = await ${RUNTIME}.load(${literal(statement.source.value)}, ${literal(attributes)});`);
  return name;
}

function binding(specifier, module, source) {
  const local = specifier.local.name;
  if (specifier.type === 'ImportNamespaceSpecifier') return `const ${local} = ${module};`;
  const imported = specifier.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(specifier.imported);
  return `const ${local} = ${RUNTIME}.pick(${module}, ${literal(imported)}, ${literal(source)});`;
}

const STATEMENTS = {
  ImportDeclaration(statement, text, imports) {
    const module = importOf(statement, imports);
    for (const specifier of statement.specifiers) imports.push(binding(specifier, module, statement.source.value));
    text.blank(statement.start, statement.end);
  },
  ExportAllDeclaration(statement, text, imports) {
    importOf(statement, imports);
    text.blank(statement.start, statement.end);
  },
  ExportNamedDeclaration(statement, text, imports) {
    if (statement.source) importOf(statement, imports);
    text.blank(statement.start, statement.declaration?.start ?? statement.end);
  },
  ExportDefaultDeclaration(statement, text, imports, code) {
    const { declaration } = statement;
    const isDeclaration = /^(Function|Class)Declaration$/.test(declaration.type);
    text.blank(statement.start, declaration.start);
    if (isDeclaration && declaration.id) return;
    // Without a name or a statement of its own, what is exported is the program's value.
    text.insert(declaration.start, `;${RUNTIME}.value((`);
    text.insert(declaration.end, code[declaration.end] === ';' ? '))' : '));');
  },
};

function replaceMeta(node, text) {
  if (node === null || typeof node !== 'object') return;
  if (node.type === 'MetaProperty' && node.meta.name === 'import') {
    text.replace(node.start, node.end, `${RUNTIME}.meta`);
    return;
  }
  for (const key of Object.keys(node)) {
    const child = node[key];
    if (Array.isArray(child)) for (const item of child) replaceMeta(item, text);
    else if (key !== 'loc') replaceMeta(child, text);
  }
}
