/** One program, from its text to its report. */
import { performance } from 'node:perf_hooks';
import { types } from 'node:util';
import { isPlaceless, placeOfImport, showBrokenModule } from './broken-modules.mjs';
import { compileProgram, SyntaxFault } from './compile.mjs';
import { describeError, describeSyntaxError } from './errors.mjs';
import { restoreIntrinsics } from './intrinsics.mjs';
import { sendReport, writeFully } from './job.mjs';
import { hideGlobal, startAsync, startFunction, startModule } from './launch.mjs';
import { watchProcess } from './lifecycle.mjs';
import { serialiseResult } from './outcome.mjs';
import { serveOwnCopies } from './own-copies.mjs';
import { serveShortNames } from './module-resolution.mjs';
import { publishNotes } from './notes.mjs';
import { adopt, Settlements } from './promises.mjs';
import { encodeReport } from './report.mjs';
import { MODULE_NAMES } from './rewrite.mjs';
import { createMainModule, InputError, loadInputs, publishInputs } from './surroundings.mjs';
import { serveTypeScriptModules } from './typescript-modules.mjs';
import { describeUnsettled } from './unsettled.mjs';

const STDERR = 2;
const FAILURE = 1;
const UNSETTLED = 13;
const DUE_MS = 1.5;
const EXTENSIONS = { javascript: 'js', typescript: 'ts' };
const { exit } = process;
const { isNativeError } = types;

/** One program in this process, from its text to its report. */
export class Program {
  #spec;
  #text;
  #lines;
  #compiled = { declaresResult: false, awaits: [] };
  #settlements = new Settlements();
  #error;
  #isPending = true;
  #rejection;
  /** What the program tells of itself: `read()` gives `result`, the other two the values it left. */
  #probe = { __proto__: null, read: undefined, value: undefined, returned: undefined, names: undefined };

  constructor(spec, text) {
    this.#spec = spec;
    this.#text = text;
    this.#lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
  }

  /** Lets the program begin as soon as this turn of the event loop ends. */
  start(inputs) {
    watchProcess({
      onFatal: (error) => this.#fail(this.#describe(error)),
      onIdle: () => this.#followResult(),
      conclude: (exitCode, isIdle) => this.#conclude(exitCode, isIdle),
    });
    try {
      this.launch(inputs);
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** Lets the program begin in this thread, whose end and report are not of interest. Throws SyntaxFault, InputError. */
  launch(inputs) {
    const job = { spec: this.#spec, text: this.#text, inputs: { ...inputs } };
    loadInputs(inputs, this.#spec.fileVariables);
    publishNotes(this.#spec.checkpoint, inputs);
    const shadows = publishInputs(inputs);
    const { language } = this.#spec;
    this.#compiled = compileProgram(this.#text, { language, inputNames: Object.keys(inputs), shadows });
    const { goal, factory, probe } = this.#compiled;
    const { module, require, filename, url } = createMainModule(EXTENSIONS[language]);
    serveOwnCopies(job, { filename, url });
    const values = [module.exports, require, module, filename, '/sandbox', ...shadows.map((name) => inputs[name])];
    const isTypeScript = language === 'typescript';
    if (isTypeScript) serveTypeScriptModules();
    if (isTypeScript || this.#text.includes('import')) serveShortNames({ isTypeScript });
    this.#probe.inputs = inputs;
    if (!('result' in globalThis)) defineResult();
    const onEnd = (end) => this.#onMainEnd(end);
    if (goal === 'module') {
      const names = [...MODULE_NAMES, ...shadows];
      this.#probe.names = Object.fromEntries(names.map((name, index) => [name, values[index]]));
      hideGlobal(probe, this.#probe);
      startModule(this.#compiled, { filename, url }, onEnd);
    } else {
      const start = goal === 'async' ? startAsync : startFunction;
      start(factory(this.#probe, ...values), module.exports, onEnd);
    }
  }

  #refuse(error) {
    if (error instanceof SyntaxFault) this.#fail(describeSyntaxError(error.message, error.place, this.#lines));
    else if (error instanceof InputError)
      this.#fail({ code: 'RUNTIME_ERROR', type: 'InputError', message: error.message });
    else throw error;
    exit(FAILURE);
  }

  #describe(error) {
    const { tree, originalColumn, shift } = this.#compiled;
    const places = { originalColumn, shift, locate: () => this.#placeOfAwait(error) };
    const hasBegun = this.#probe.read !== undefined;
    if (tree === undefined || hasBegun) return describeError(error, this.#lines, places);
    const locate = (text) => placeOfImport(tree, text);
    const described = describeError(error, this.#lines, { ...places, locate });
    if (isPlaceless(error)) described.traceback = `${showBrokenModule(tree) ?? ''}\n${described.traceback}`;
    return described;
  }

  /** Errors that come out of Node's inside have no place: what the program awaited at its top level is known all the same. */
  #placeOfAwait(error) {
    const { awaits } = this.#compiled;
    return awaits.length === 1 && error === this.#rejection && isNativeError(error) ? awaits[0] : undefined;
  }

  #fail(error) {
    restoreIntrinsics();
    this.#error ??= error;
    try {
      writeFully(STDERR, Buffer.from(`${error.traceback ?? error.message}\n`));
    } catch {
      // The program closed its stderr: the report says it.
    }
  }

  #onMainEnd({ namespace, error }) {
    this.#isPending = false;
    this.#rejection = error;
    if (namespace !== undefined) this.#readExports(namespace);
    if (this.#text.includes('setTimeout') && this.#text.includes('setImmediate')) letTimersComeDue();
    this.#probe.returned = adopt(this.#probe.returned);
    this.#probe.value = adopt(this.#probe.value);
    this.#settlements.follow(this.#probe.returned);
    this.#settlements.follow(this.#probe.value);
  }

  /** What a module exports counts where it has no variable or no last expression of its own. */
  #readExports(namespace) {
    if (!this.#compiled.declaresResult && 'result' in namespace) this.#probe.read = () => namespace.result;
    if (typeof namespace.default !== 'function') this.#probe.value ??= namespace.default;
  }

  #followResult() {
    const { source, value } = this.#choose();
    const adopted = adopt(value);
    // The variable is not ours to change: from here on, what it was is the result.
    if (adopted !== value && source === 'variable') this.#probe.read = () => adopted;
    this.#settlements.follow(adopted);
  }

  /** Which value is the program's result: what it returned, its variable, or the value of its last expression. */
  #choose() {
    const { returned, value } = this.#probe;
    if (returned !== undefined) return { source: 'return', value: returned };
    const variable = this.#readVariable();
    if (variable !== undefined || this.#compiled.declaresResult) return { source: 'variable', value: variable };
    return { source: 'expression', value };
  }

  #readVariable() {
    try {
      return this.#probe.read?.();
    } catch {
      // Declared, but the program ended before that line.
      return undefined;
    }
  }

  #conclude(exitCode, isIdle) {
    restoreIntrinsics();
    let code = exitCode;
    if (this.#error === undefined && this.#isPending && isIdle && exitCode === undefined) {
      this.#fail(describeUnsettled(this.#compiled.awaits, this.#lines));
      code = UNSETTLED;
    }
    const outcome = this.#outcome(isIdle);
    sendReport(encodeReport(outcome));
    return outcome.error === undefined ? code : code || FAILURE;
  }

  #outcome(isIdle) {
    if (this.#error !== undefined) return { result: undefined, error: this.#error, warnings: [] };
    const choice = this.#choose();
    const isAbandoned = !isIdle && choice.source === 'expression' && this.#settlements.isOpen(choice.value);
    if (isAbandoned) return { result: undefined, error: undefined, warnings: [] };
    const limits = { depth: this.#spec.jsonDepth, maxBytes: this.#spec.maxResultBytes };
    return serialiseResult(choice, limits, this.#settlements.values);
  }
}

/**
 * A timeout of 0 is 1 ms, and immediates are before it where less has passed since. A program started from nothing is
 * slower than that, and programs that show the order of things count on it.
 */
function letTimersComeDue() {
  const begin = performance.now();
  while (performance.now() - begin < DUE_MS);
}

/** Strict code may assign to `result` without a declaration. */
function defineResult() {
  Object.defineProperty(globalThis, 'result', {
    value: undefined,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}
