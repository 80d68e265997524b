// One program from its text to its report.
import { EventEmitter } from 'node:events';
import vm from 'node:vm';
import { types } from 'node:util';
import { Faults, FILE_NAME } from './faults.mjs';
import { sendReport } from './job.mjs';
import { toJson } from './serialise.mjs';
import { asFunctionBody, endsInExpression, explainFault, readProgram, RUNTIME } from './source.mjs';
import { placeOfFault, withoutTypes } from './typescript.mjs';
import { DYNAMIC_IMPORT, load, META, pick } from './world.mjs';

const exit = process.exit.bind(process);
const emitLater = queueMicrotask;
const writeError = process.stderr.write.bind(process.stderr);
const listenerCount = process.listenerCount.bind(process);
const on = process.on.bind(process);
const then = Function.prototype.call.bind(Promise.prototype.then);
const { resolve } = Promise;
const asPromise = (value) => resolve.call(Promise, value);
const ORDINARY_ERROR = 1;
/** Node's exit code where the loop is empty and top-level await still waits. */
const UNSETTLED = 13;
const NOTHING = Symbol('nothing');
const Timer = timerClass();

const readGlobalResult = new vm.Script("typeof result === 'undefined' ? undefined : result", { filename: 'hourglass' });

/** Runs one program; its end is the end of the process. */
export class Program {
  #readResult = () => readGlobalResult.runInThisContext();
  #value = NOTHING;
  #isSettled = false;
  #awaited = NOTHING;
  #isAwaiting = false;
  #error = null;
  #warnings = [];
  #isReported = false;

  constructor(spec, code) {
    this.spec = spec;
    this.isTypeScript = spec.language === 'typescript';
    this.code = code.startsWith('\ufeff') ? code.slice(1) : code;
    this.faults = new Faults(this.code);
  }

  run() {
    on('uncaughtException', (error) => this.#onUncaught(error));
    on('beforeExit', () => this.#onLoopEmpty());
    on('exit', () => this.#report());
    const start = this.#compile();
    if (start === undefined) return exit(ORDINARY_ERROR);
    try {
      start();
    } catch (error) {
      this.#isSettled = true;
      this.#throw(error);
    }
  }

  /** A function that starts the program; undefined where it does not parse. */
  #compile() {
    const code = this.isTypeScript ? this.#stripTypes() : this.code;
    if (code === undefined) return undefined;
    const read = readProgram(code);
    try {
      if (read === undefined || read.kind === 'script') return this.#compileScript(code, read?.tree);
      return this.#compileFunction(code, read.tree);
    } catch (error) {
      const fault = read === undefined && /^\s*(import|export|await)\b|\bawait\b/m.test(code) ? explainFault(code) : undefined;
      this.#failSyntax(fault === undefined ? this.faults.describeSyntax(error) : this.faults.describePlace(fault));
      return undefined;
    }
  }

  #stripTypes() {
    try {
      const { code, map } = withoutTypes(this.code);
      this.faults = new Faults(this.code, map);
      return code;
    } catch (error) {
      const place = placeOfFault(error);
      const message = String(error.message).trim();
      this.#failSyntax(place === undefined ? this.faults.describeSyntax(error) : this.faults.describePlace({ ...place, message }));
      return undefined;
    }
  }

  #compileScript(code, tree) {
    const script = new vm.Script(code, { filename: FILE_NAME, ...DYNAMIC_IMPORT });
    return () => {
      const value = script.runInThisContext();
      if (tree !== undefined && endsInExpression(tree)) this.#value = value;
      this.#isSettled = true;
    };
  }

  #compileFunction(code, tree) {
    const { body, prefixLength } = asFunctionBody(code, tree);
    const options = { filename: FILE_NAME, columnOffset: -prefixLength, ...DYNAMIC_IMPORT };
    const main = vm.compileFunction(body, [RUNTIME], options);
    return () => then(main.call(globalThis, this.#runtime()), (value) => this.#onSettled(value), (error) => this.#onRejected(error));
  }

  #runtime() {
    return {
      onResult: (read) => (this.#readResult = read),
      value: (value) => (this.#value = value),
      load,
      pick: (module, name, specifier) => pick(module, name, specifier, this.isTypeScript),
      meta: META,
    };
  }

  #onSettled(value) {
    this.#isSettled = true;
    // A top-level return.
    if (value !== undefined) this.#value = value;
  }

  #onRejected(error) {
    this.#isSettled = true;
    this.#throw(error);
  }

  /** Throws outside of any promise, so that the program's own handlers see it as they would see it in Node. */
  #throw(error) {
    emitLater(() => {
      throw error;
    });
  }

  #onUncaught(error) {
    if (listenerCount('uncaughtException') > 1) return;
    const { type, message, line, traceback, shown } = this.faults.describe(error);
    this.#error = { code: 'RUNTIME_ERROR', type, message, line, traceback };
    writeError(`${shown}\n`);
    exit(ORDINARY_ERROR);
  }

  #failSyntax({ type, message, line, traceback, shown }) {
    this.#error = { code: 'SYNTAX_ERROR', type, message, line, traceback };
    writeError(`${shown}\n`);
  }

  /** The loop is empty: a promise that is the result is awaited, and the loop goes on for it. */
  #onLoopEmpty() {
    if (!this.#isSettled) return this.#endUnsettled();
    if (this.#isAwaiting) return;
    const { value } = this.#take();
    if (!isThenable(value)) return;
    this.#isAwaiting = true;
    then(
      asPromise(value),
      (result) => (this.#awaited = result),
      (error) => this.#throw(error),
    );
    // Without something to do the loop would not turn again.
    setImmediate(() => undefined);
  }

  #endUnsettled() {
    const message = 'The program ended while its top-level await was still waiting';
    this.#error = { code: 'RUNTIME_ERROR', type: 'UnsettledTopLevelAwait', message };
    writeError(`Warning: ${message}\n`);
    exit(UNSETTLED);
  }

  /** The result as it is now: the variable, else the value of the last expression. */
  #take() {
    const variable = this.#variable();
    if (variable !== undefined) return { value: variable, source: 'variable' };
    return { value: isHandle(this.#value) ? undefined : this.#value, source: 'expression' };
  }

  #variable() {
    try {
      return this.#readResult();
    } catch {
      // Not initialised yet: the program ended before it came to its declaration.
      return undefined;
    }
  }

  #report() {
    if (this.#isReported) return;
    this.#isReported = true;
    const found = this.#error === null ? this.#encode() : undefined;
    const header = {
      hasResult: found !== undefined,
      source: found?.source ?? null,
      error: this.#error,
      warnings: this.#warnings,
    };
    sendReport(header, found?.json);
  }

  #encode() {
    const { value, source } = this.#take();
    if (value === undefined) return undefined;
    const isExplicit = source === 'variable';
    try {
      if (isThenable(value) && this.#awaited === NOTHING) throw new Error('is a promise that was never settled');
      const settled = isThenable(value) ? this.#awaited : value;
      const json = toJson(settled, { maxDepth: this.spec.jsonDepth, maxBytes: this.spec.maxResultBytes });
      return json === undefined ? undefined : { json, source };
    } catch (error) {
      this.#refuse(isExplicit, String(error.message));
      return undefined;
    }
  }

  #refuse(isExplicit, why) {
    if (!isExplicit) {
      this.#warnings = [`the value of the last expression ${why}`];
      return;
    }
    const message = `result cannot be turned into JSON: it ${why}`;
    this.#error = { code: 'RUNTIME_ERROR', type: 'TypeError', message };
    writeError(`${message}\n`);
    if (!process.exitCode) process.exitCode = ORDINARY_ERROR;
  }
}

function timerClass() {
  const timer = setTimeout(() => undefined, 0);
  clearTimeout(timer);
  return timer.constructor;
}

/** Whether a last expression gave no value of its own: `setTimeout(...)`, `child.on(...)`. */
function isHandle(value) {
  return value === NOTHING || value instanceof Timer || value instanceof EventEmitter;
}

function isThenable(value) {
  if (types.isPromise(value)) return true;
  try {
    return typeof value === 'object' && value !== null && typeof value.then === 'function';
  } catch {
    return false;
  }
}
