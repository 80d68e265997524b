/** Errors of a session: where their places are, and what is said of them. */
import { describeError } from './errors.mjs';
import { writeFully } from './job.mjs';

const STDERR = 2;
const MAX_CALLS = 1000;

/** Where the places of calls were in their own texts, by the calls' names; those of the last calls are known. */
export class Places {
  #finders = new Map();

  /** `originalPlace(line, column)` is of the call that bears the name. */
  add(name, originalPlace) {
    this.#finders.set(name, originalPlace);
    if (this.#finders.size > MAX_CALLS) this.#finders.delete(this.#finders.keys().next().value);
  }

  /** As `cleanStack` asks for it. */
  originalColumn = (line, column, name) => this.#finders.get(name)?.(line, column) ?? column;
}

/** What `describe()` says of an error; something in any case. */
export function describeSafely(describe) {
  try {
    return describe();
  } catch {
    return { code: 'RUNTIME_ERROR', type: 'Error', message: 'an error that cannot be described' };
  }
}

/** Writes an error to stderr, as Node would. */
export function sayError({ traceback, message }) {
  try {
    writeFully(STDERR, Buffer.from(`${traceback ?? message}\n`));
  } catch {
    // Somebody closed stderr: the report says it.
  }
}

/** Says an error of what an earlier call left running. */
export function sayBetweenCalls(error, { originalColumn }) {
  sayError(describeSafely(() => describeError(error, [], { originalColumn, name: '<background>' })));
}
