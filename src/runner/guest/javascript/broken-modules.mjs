/** Where modules of the program fail to load: Node's own error for an ES module that does not parse has no place. */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { importsOf } from './imports.mjs';
import { parseProgram } from './parse.mjs';
import { showPlace } from './stack-text.mjs';
import { nodesOf } from './syntax-tree.mjs';
import { eraseTypes } from './typescript.mjs';

const MAX_MODULES = 200;
const BASE = 'file:///sandbox/';
const IMPORTERS = /^(?:Import|Export(?:Named|All))Declaration$|^ImportExpression$/;

/** The first import declaration that a text (message and stack of an error) speaks of: its `{ line, column }`, or undefined. */
export function placeOfImport(tree, text) {
  const isNamed = ({ source: { value } }) => text.includes(value.replace(/^[./]+/, '')) || hasProtocolIn(value, text);
  const found = importsOf(tree).find(isNamed);
  return found === undefined ? undefined : { line: found.loc.start.line, column: found.loc.start.column + 1 };
}

/** Of a URL that it cannot load, Node names the protocol only. */
function hasProtocolIn(specifier, text) {
  const [protocol] = /^[a-z+.-]+:/.exec(specifier) ?? [];
  return protocol !== undefined && protocol !== 'node:' && text.includes(`'${protocol}'`);
}

/** Whether an error says that some module does not parse, and not where. */
export function isPlaceless(error) {
  return error instanceof SyntaxError && /^SyntaxError.*\n\s+at compileSourceTextModule/.test(String(error.stack));
}

/** The place of the first module below a program that does not parse, as Node would show it; undefined if all do. */
export function showBrokenModule(tree) {
  const urls = relativeImports(tree, BASE);
  for (let index = 0; index < urls.length && index < MAX_MODULES; index += 1) {
    const { shown, imports } = inspectModule(urls[index]);
    if (shown !== undefined) return shown;
    for (const url of imports) if (!urls.includes(url)) urls.push(url);
  }
  return undefined;
}

function inspectModule(url) {
  const path = fileURLToPath(url);
  const text = readText(path);
  if (text === undefined || path.endsWith('.json')) return { imports: [] };
  const { tree, fault } = parseProgram(/\.m?ts$/.test(path) ? eraseTypes(text).text : text);
  if (tree !== undefined) return { imports: relativeImports(tree, url) };
  const place = { line: fault.loc.line, column: fault.loc.column + 1 };
  return { shown: showPlace(path, text.split('\n'), place), imports: [] };
}

function relativeImports(tree, base) {
  const urls = [];
  for (const node of nodesOf(tree)) {
    const specifier = IMPORTERS.test(node.type) ? node.source?.value : undefined;
    if (/^(?:\.{0,2}\/|file:)/.test(specifier ?? '')) urls.push(new URL(specifier, base).href);
  }
  // Found from the end of the tree on; the first one is the one Node stumbles over.
  return urls.reverse();
}

function readText(path) {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
