// What a program finds around it: inputs, CommonJS names, and imports that resolve from its working directory.
import fs from 'node:fs';
import Module, { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

const FOLDER = '/sandbox';
const MAIN_FILE = `${FOLDER}/main.js`;

/** Lets code that V8 compiles use `import()` as a file of the working directory would. */
export const DYNAMIC_IMPORT = { importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };

const importFrom = vm.compileFunction('return import(specifier, options)', ['specifier', 'options'], {
  filename: `${FOLDER}/main.mjs`,
  ...DYNAMIC_IMPORT,
});

function define(name, value) {
  // Configurable: a program may declare a name of its own that is the same.
  Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
}

/** Defines `require`, `module` and what goes with them. */
export function defineCommonJs() {
  const main = new Module('.', null);
  main.filename = MAIN_FILE;
  main.paths = Module._nodeModulePaths(FOLDER);
  const require = createRequire(MAIN_FILE);
  require.main = main;
  define('require', require);
  define('module', main);
  define('exports', main.exports);
  define('__filename', MAIN_FILE);
  define('__dirname', FOLDER);
  process.argv = [process.argv[0], MAIN_FILE];
}

/** Defines the inputs as globals and as `inputs`; texts of staged files are inputs, too. */
export function defineInputs(inputs, fileVariables) {
  for (const [name, path] of Object.entries(fileVariables)) inputs[name] = fs.readFileSync(`${FOLDER}/${path}`, 'utf8');
  for (const name of Object.keys(inputs)) define(name, inputs[name]);
  define('inputs', inputs);
}

/** `import.meta` of the program. */
export const META = Object.freeze({
  url: pathToFileURL(`${FOLDER}/main.mjs`).href,
  filename: `${FOLDER}/main.mjs`,
  dirname: FOLDER,
  main: true,
  resolve: (specifier) => pathToFileURL(createRequire(MAIN_FILE).resolve(specifier)).href,
});

/** A module by the specifier of a static import. */
export function load(specifier, attributes) {
  return importFrom(specifier, Object.keys(attributes).length > 0 ? { with: attributes } : undefined);
}

/**
 * One name of a module. A CommonJS module's own names count as well as those Node detects in it.
 *
 * Throws Node's SyntaxError for a missing name; where types were removed, the name may have been one: undefined.
 */
export function pick(module, name, specifier, isTypeScript) {
  if (name in module) return module[name];
  const whole = module.default;
  if (whole !== null && whole !== undefined && name in Object(whole)) return whole[name];
  if (isTypeScript) return undefined;
  throw new SyntaxError(`The requested module '${specifier}' does not provide an export named '${name}'`);
}
