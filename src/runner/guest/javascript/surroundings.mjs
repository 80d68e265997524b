/** What a program finds around it: inputs, and the names of a CommonJS module. */
import fs from 'node:fs';
import Module, { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { MODULE_NAMES } from './rewrite.mjs';

const FOLDER = '/sandbox';
const STRICT_NAMES = new Set(['undefined', 'NaN', 'Infinity', 'eval', 'arguments', 'result']);
const RESERVED =
  'await break case catch class const continue debugger default delete do else enum export extends false finally for ' +
  'function if implements import in instanceof interface let new null package private protected public return static ' +
  'super switch this throw true try typeof var void while with yield';
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;
const UNUSABLE = new Set([...STRICT_NAMES, ...RESERVED.split(' ')]);

/** An input that cannot be given to the program. */
export class InputError extends Error {}

/** All inputs by name: `inputs`, and the text of the files that have a variable name. Throws InputError. */
export function loadInputs(inputs, fileVariables) {
  for (const [name, path] of Object.entries(fileVariables)) {
    define(inputs, name, readText(name, path));
  }
  return inputs;
}

function readText(name, path) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(`${FOLDER}/${path}`));
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is not UTF-8 text' : error.message;
    throw new InputError(`file ${path} cannot be the text of ${name}: ${reason}`);
  }
}

function define(holder, name, value) {
  const attributes = { writable: true, enumerable: true, configurable: true };
  Object.defineProperty(holder, name, { __proto__: null, value, ...attributes });
}

/**
 * Makes inputs global. Returns the names that are taken by the platform (`URL`, `process`, `require`): libraries need those as
 * they are, so only the program itself gets the input under such a name.
 */
export function publishInputs(inputs) {
  const shadows = [];
  for (const name of Object.keys(inputs)) {
    if (!(name in globalThis) && !MODULE_NAMES.includes(name)) define(globalThis, name, inputs[name]);
    else if (isUsable(name)) shadows.push(name);
  }
  // An input of that very name is what the program means by it.
  if (!Object.hasOwn(inputs, 'inputs')) define(globalThis, 'inputs', inputs);
  return shadows;
}

/** Whether a name can be that of a parameter. */
export function isUsable(name) {
  return !UNUSABLE.has(name) && IDENTIFIER.test(name);
}

/** The module that a program is: `{ filename, url, module, require }`; it is the main module of the process. */
export function createMainModule(extension) {
  const filename = unusedFilename(extension);
  const module = new Module(filename);
  module.id = '.';
  module.filename = filename;
  module.paths = Module._nodeModulePaths(FOLDER);
  process.mainModule = module;
  process.argv[1] = filename;
  const require = createRequire(filename);
  require.main = module;
  return { filename, url: pathToFileURL(filename).href, module, require };
}

function unusedFilename(extension) {
  for (let number = 0; ; number += 1) {
    const filename = `${FOLDER}/code${number === 0 ? '' : `-${number}`}.${extension}`;
    if (!fs.existsSync(filename)) return filename;
  }
}
