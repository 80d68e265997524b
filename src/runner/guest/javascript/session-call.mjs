/** One call of a session, from its text to its report. */
import timers from 'node:timers';
import { types } from 'node:util';
import { isPlaceless, placeOfImport, showBrokenModule } from './broken-modules.mjs';
import { SyntaxFault } from './compile.mjs';
import { describeError, describeSyntaxError } from './errors.mjs';
import { importsOf } from './imports.mjs';
import { withIntrinsics } from './intrinsics.mjs';
import { importerAt, startAsync, startFunction } from './launch.mjs';
import { serialiseResult } from './outcome.mjs';
import { adopt, Settlements } from './promises.mjs';
import { encodeReport } from './report.mjs';
import { compileCall } from './session-compile.mjs';
import { describeSafely, sayError } from './session-errors.mjs';
import { loadImports } from './session-imports.mjs';
import { mute, thisProcess } from './session-process.mjs';
import { setGlobal } from './session-scope.mjs';
import { InputError, loadInputs } from './surroundings.mjs';
import { describeUnsettled } from './unsettled.mjs';

const FAILURE = 1;
const UNSETTLED = 13;
// Promises inside of a result are given this long; the promise that is the result, as long as the call has.
const PATIENCE_MS = 1000;
const { apply } = Reflect;
// A program may let the modules of Node hold others.
const { setImmediate, setTimeout } = timers;
const { isNativeError } = types;

export class Call {
  #session;
  #job;
  #onOver;
  #name;
  #lines;
  #compiled;
  #shadowed;
  #probe;
  #resultBefore;
  #settlements = new Settlements(() => this.#onFulfilled());
  #choice;
  #error;
  #rejection;
  #exitCode;
  #timer;
  #isExiting = false;
  #isOver = false;

  /** `onOver(exitCode, report)` is called once. */
  constructor(session, job, onOver) {
    this.#session = session;
    this.#job = job;
    this.#onOver = onOver;
    const { call } = job.spec;
    this.#name = call > 1 ? `<code ${call}>` : '<code>';
    this.#lines = job.code.split(/\r\n|[\n\r\u2028\u2029]/);
  }

  /** Compiles the call and lets it begin in this turn of the event loop, where timers are still ahead of it. */
  start() {
    try {
      this.#prepare();
    } catch (error) {
      this.#refuse(error);
      return;
    }
    setImmediate(() => this.#launch());
  }

  #prepare() {
    const { scope, places } = this.#session;
    const { spec, code } = this.#job;
    const inputs = loadInputs(this.#job.inputs, spec.fileVariables);
    const shadows = scope.shadowsIn(inputs);
    // What is given again is no constant any more.
    const constants = [...scope.constants].filter((name) => !Object.hasOwn(inputs, name));
    const { language } = spec;
    this.#compiled = compileCall(code, { language, name: this.#name, shadows, constants });
    places.add(this.#name, this.#compiled.originalPlace);
    scope.publish(inputs, spec.checkpoint);
    this.#shadowed = this.#compiled.shadows.map((name) => inputs[name]);
    const told = { begun: false, value: undefined, returned: undefined, exported: undefined };
    this.#probe = Object.assign(scope.helpers(), told);
    this.#resultBefore = this.#readResult();
  }

  #refuse(error) {
    const { message, place } = error;
    if (error instanceof SyntaxFault) {
      this.#end(() => describeSyntaxError(message, place, this.#lines, this.#name), FAILURE);
    } else if (error instanceof InputError) {
      this.#end(() => ({ code: 'RUNTIME_ERROR', type: 'InputError', message }), FAILURE);
    } else this.fail(error, FAILURE);
  }

  #launch() {
    withIntrinsics(() => this.#session.scope.declare(this.#compiled));
    // Not so the functions: what they take the place of is not to be put back.
    this.#compiled.functions?.runInThisContext();
    withIntrinsics(() => this.#begin());
  }

  /** Nothing of the call runs before this turn is over. */
  #begin() {
    const { tree, factory, isAsync, text } = this.#compiled;
    const { module, filename } = this.#session.scope.main;
    const program = apply(factory, undefined, [this.#probe, ...this.#shadowed]);
    const onEnd = (end) => this.#onMainEnd(end);
    if (!isAsync) return startFunction(program, module.exports, onEnd);
    if (importsOf(tree).length === 0) return startAsync(program, module.exports, onEnd);
    const isTypeScript = this.#job.spec.language === 'typescript';
    return startAsync(program, module.exports, onEnd, this.#import({ tree, text, isTypeScript }, filename));
  }

  async #import(source, filename) {
    const values = await loadImports(source, importerAt(filename));
    withIntrinsics(() => values.forEach(([name, value]) => setGlobal(name, value)));
  }

  #onMainEnd({ error }) {
    if (this.#isOver) return;
    this.#rejection = error;
    // After what this turn still has to say, rejections that nobody handles among it.
    setImmediate(() => this.#followResult());
  }

  #followResult() {
    if (this.#isOver) return;
    const { source, value } = withIntrinsics(() => this.#choose());
    // From here on, what the variable was is the result.
    this.#choice = { source, value: adopt(value) };
    this.#settlements.follow(this.#choice.value);
    this.#onFulfilled();
  }

  /** Ends the call when the promise that is its result has settled, and soon if only promises inside of it have not. */
  #onFulfilled() {
    if (this.#isOver || this.#isExiting) return;
    if (!this.#settlements.isWaiting) this.#conclude();
    else if (this.#timer === undefined && !withIntrinsics(() => this.#settlements.isOpen(this.#choice.value))) {
      this.#timer = setTimeout(() => this.#conclude(), PATIENCE_MS).unref();
    }
  }

  /** Nothing is left that could go on with the call. */
  onIdle() {
    if (this.#choice !== undefined) this.#conclude();
    else this.#end(() => describeUnsettled(this.#compiled.awaits, this.#lines, this.#name), UNSETTLED);
  }

  /** The call ends with `process.exitCode`; what it prints before it has come to its end is not heard any more. */
  onExit() {
    if (this.#isOver || this.#isExiting) return;
    this.#isExiting = true;
    this.#exitCode = thisProcess.exitCode ?? 0;
    const unmute = withIntrinsics(mute);
    setImmediate(() => {
      withIntrinsics(unmute);
      this.#conclude();
    });
  }

  /** An error that nobody handled ends the call. */
  fail(error, exitCode) {
    this.#end(() => this.#describe(error), exitCode);
  }

  #end(describe, exitCode) {
    if (this.#isOver || this.#isExiting) return;
    this.#exitCode = thisProcess.exitCode || exitCode;
    withIntrinsics(() => {
      this.#error = describeSafely(describe);
      sayError(this.#error);
    });
    this.#conclude();
  }

  #describe(error) {
    const { tree, shift } = this.#compiled ?? {};
    const { originalColumn } = this.#session.places;
    const places = { originalColumn, shift, name: this.#name, locate: () => this.#placeOfAwait(error) };
    if (tree === undefined || this.#probe?.begun) return describeError(error, this.#lines, places);
    const locate = (text) => placeOfImport(tree, text);
    const described = describeError(error, this.#lines, { ...places, locate });
    if (isPlaceless(error)) described.traceback = `${showBrokenModule(tree) ?? ''}\n${described.traceback}`;
    return described;
  }

  /** Errors that come out of Node's inside have no place: what the call awaited at its top level is known all the same. */
  #placeOfAwait(error) {
    const { awaits } = this.#compiled ?? { awaits: [] };
    return awaits.length === 1 && error === this.#rejection && isNativeError(error) ? awaits[0] : undefined;
  }

  #conclude() {
    if (this.#isOver) return;
    this.#isOver = true;
    withIntrinsics(() => {
      let outcome;
      try {
        outcome = this.#outcome();
      } catch (error) {
        outcome = { result: undefined, error: describeSafely(() => this.#describe(error)), warnings: [] };
      }
      const code = this.#exitCode ?? thisProcess.exitCode;
      const exitCode = outcome.error === undefined ? Number(code ?? 0) : Number(code || FAILURE);
      this.#onOver(exitCode & 0xff, encodeReport(outcome));
    });
  }

  #outcome() {
    if (this.#error !== undefined) return { result: undefined, error: this.#error, warnings: [] };
    const choice = this.#choice ?? this.#choose();
    const isAbandoned = this.#isExiting && choice.source === 'expression' && this.#settlements.isOpen(choice.value);
    if (isAbandoned) return { result: undefined, error: undefined, warnings: [] };
    const { jsonDepth, maxResultBytes } = this.#job.spec;
    return serialiseResult(choice, { depth: jsonDepth, maxBytes: maxResultBytes }, this.#settlements.values);
  }

  /** Which value is the call's result: what it returned, its variable where this call set it, or the value of its last expression. */
  #choose() {
    const { returned, value, exported } = this.#probe;
    if (returned !== undefined) return { source: 'return', value: returned };
    const variable = this.#readResult();
    const { declaresResult, assignsResult } = this.#compiled;
    const isSet = variable !== undefined && (assignsResult || !Object.is(variable, this.#resultBefore));
    if (declaresResult || isSet) return { source: 'variable', value: variable };
    return { source: 'expression', value: value === undefined && typeof exported !== 'function' ? exported : value };
  }

  #readResult() {
    try {
      return globalThis[this.#compiled.resultName];
    } catch {
      // A getter of the user's.
      return undefined;
    }
  }
}
