/** Starts compiled programs so that no frame of ours is on their stack. */
import Module from 'node:module';
import vm from 'node:vm';
import { importsByDefault } from './default-imports.mjs';

const { apply, defineProperty } = Reflect;
const { then, constructor: PromiseConstructor } = Promise.prototype;
const { nextTick } = process;
const bind = Function.prototype.call.bind(Function.prototype.bind);

/**
 * Starts a function of CommonJS in the next tick, as Node's main script runs before all promises and timers.
 * `onEnd({})` is called when it has returned; what it throws is uncaught.
 */
export function startFunction(program, self, onEnd) {
  nextTick(bind(program, self));
  nextTick(onEnd, {});
}

/**
 * Starts a function that awaits at its top level, after a promise. `onEnd({ error })` is called when it has ended; a
 * rejection is uncaught.
 */
export function startAsync(program, self, onEnd, before = PromiseConstructor.resolve()) {
  const started = apply(then, before, [bind(program, self)]);
  apply(then, started, [() => onEnd({}), throwAfter(onEnd)]);
}

/** Starts an ES module under a URL that needs no file; `onEnd({ namespace, error })` has one of the two. */
export function startModule({ tree, writeModule }, { filename, url }, onEnd) {
  const started = apply(then, importsByDefault(tree, importerAt(filename)), [
    (byDefault) => importSource(writeModule(byDefault), url),
  ]);
  apply(then, started, [(namespace) => onEnd({ namespace }), throwAfter(onEnd)]);
}

/** `import(specifier, options)` as a file of that name would do it. */
export function importerAt(filename) {
  return new vm.Script('(specifier, options) => import(specifier, options)', {
    filename,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }).runInThisContext();
}

function importSource(source, url) {
  const hooks = Module.registerHooks({
    resolve: (specifier, context, next) =>
      specifier === url ? { url, format: 'module', shortCircuit: true } : next(specifier, context),
    load(found, context, next) {
      if (found !== url) return next(found, context);
      hooks.deregister();
      return { format: 'module', source, shortCircuit: true };
    },
  });
  return import(url);
}

function throwAfter(onEnd) {
  return (error) => {
    onEnd({ error });
    nextTick(() => {
      throw error;
    });
  };
}

/** A name in the global scope that nobody stumbles over, for the time of the program. */
export function hideGlobal(name, value) {
  defineProperty(globalThis, name, { __proto__: null, value, configurable: true, enumerable: false });
}
