/** Staged TypeScript modules as TypeScript programs expect them: imports of types left out. */
import Module from 'node:module';
import { applyEdits } from './edits.mjs';
import { editsWithoutTypes } from './imports.mjs';
import { parseProgram } from './parse.mjs';
import { SyntaxFault } from './syntax-fault.mjs';
import { eraseTypes } from './typescript.mjs';

const STAGED = /^file:\/\/\/sandbox\/(?!.*\/node_modules\/).*\.m?ts$/;

/** Teaches this process about TypeScript modules, for as long as it lives. */
export function serveTypeScriptModules() {
  Module.registerHooks({ load });
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
