/** Staged TypeScript modules as TypeScript programs expect them: found without extension, imports of types left out. */
import Module from 'node:module';
import { applyEdits } from './edits.mjs';
import { editsWithoutTypes } from './imports.mjs';
import { parseProgram } from './parse.mjs';
import { SyntaxFault } from './syntax-fault.mjs';
import { eraseTypes } from './typescript.mjs';

const STAGED = /^file:\/\/\/sandbox\/(?!.*\/node_modules\/).*\.m?ts$/;
const NOT_FOUND = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT']);
const SUFFIXES = ['.ts', '.mts', '.cts', '/index.ts', '.js', '.mjs', '/index.js'];

/** Teaches this process about TypeScript modules, for as long as it lives. */
export function serveTypeScriptModules() {
  Module.registerHooks({ resolve, load });
}

function resolve(specifier, context, next) {
  try {
    return next(specifier, context);
  } catch (error) {
    if (!/^\.{0,2}\//.test(specifier) || !NOT_FOUND.has(error.code)) throw error;
    return resolveAny(candidates(specifier), context, next, error);
  }
}

function resolveAny(specifiers, context, next, error) {
  for (const specifier of specifiers) {
    try {
      return next(specifier, context);
    } catch {
      // The next one may be there.
    }
  }
  throw error;
}

/** `./util.js` may be what `./util.ts` becomes, and `./util` either of them. */
function candidates(specifier) {
  const emitted = /^(.*)\.([mc]?)js$/.exec(specifier);
  return emitted === null ? SUFFIXES.map((suffix) => specifier + suffix) : [`${emitted[1]}.${emitted[2]}ts`];
}

function load(url, context, next) {
  const loaded = next(url, context);
  if (!STAGED.test(url) || loaded.format !== 'module-typescript') return loaded;
  const source = withoutTypeImports(String(loaded.source), url);
  return source === undefined ? loaded : { ...loaded, format: 'module', source };
}

/** The module as JavaScript, or undefined where Node finds the better words for what is wrong with it. */
function withoutTypeImports(text, url) {
  try {
    const erased = eraseTypes(text, url);
    const { tree } = parseProgram(erased.text, true);
    return tree === undefined ? undefined : applyEdits(erased.text, editsWithoutTypes(erased.text, tree));
  } catch (error) {
    if (error instanceof SyntaxFault) return undefined;
    throw error;
  }
}
