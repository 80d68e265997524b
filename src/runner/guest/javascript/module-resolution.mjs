/** Modules that are named as bundlers and TypeScript let them be named: without extension, or with that of what they become. */
import Module from 'node:module';

const NOT_FOUND = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT']);
const RELATIVE = /^\.{0,2}\//;
const IN_PACKAGE = /^(?:@[^/:]+\/)?[^./:#@][^/:]*\/./;
const TYPESCRIPT = ['.ts', '.mts', '.cts', '/index.ts'];
const JAVASCRIPT = ['.js', '.mjs', '.cjs', '.json', '/index.js', '/index.mjs'];

/** Lets what Node does not find be found under other names too, for as long as this process lives. */
export function serveShortNames({ isTypeScript }) {
  const suffixes = isTypeScript ? [...TYPESCRIPT, ...JAVASCRIPT] : JAVASCRIPT;
  Module.registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (!NOT_FOUND.has(error.code)) throw error;
        return resolveAny(candidates(specifier, suffixes, isTypeScript), context, next, error);
      }
    },
  });
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

function candidates(specifier, suffixes, isTypeScript) {
  if (IN_PACKAGE.test(specifier)) return [`${specifier}.js`];
  if (!RELATIVE.test(specifier)) return [];
  const emitted = isTypeScript ? /^(.*)\.([mc]?)js$/.exec(specifier) : null;
  return emitted === null ? suffixes.map((suffix) => specifier + suffix) : [`${emitted[1]}.${emitted[2]}ts`];
}
