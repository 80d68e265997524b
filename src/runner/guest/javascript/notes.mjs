/** `hourglass`, as programs find it: checkpoints and progress. */
import fs from 'node:fs';

const NOTES_FD = 5;
const MAX_CHECKPOINT = 2048;
const MAX_MESSAGE = 200;
const RETRY_MS = 2;

// Taken before any program runs: a program may replace what they are.
const { writeSync } = fs;
const { stringify, parse } = JSON;
const { wait } = Atomics;
const clock = new Int32Array(new SharedArrayBuffer(4));
const encoder = new TextEncoder();

/** Makes `hourglass` global, unless an input has that name. `lastCheckpoint`: JSON text, or null. */
export function publishNotes(lastCheckpoint, inputs) {
  if (Object.hasOwn(inputs, 'hourglass')) return;
  const value = createNotes(lastCheckpoint ?? null);
  const attributes = { writable: true, enumerable: false, configurable: true };
  Object.defineProperty(globalThis, 'hourglass', { __proto__: null, value, ...attributes });
}

/** `hourglass` of a program; `text` as `lastCheckpoint`. */
export function createNotes(text) {
  const last = text === null ? null : parse(text);
  return {
    /** What the last attempt that really ran this program has kept; null where there is nothing. */
    lastCheckpoint: last,
    last_checkpoint: last,
    /** Keeps a small JSON value: the next attempt that has to run this program again finds it in `lastCheckpoint`. */
    checkpoint(value) {
      const json = stringify(value);
      if (json === undefined) throw new TypeError(`a checkpoint is a JSON value, not ${typeof value}`);
      const { length } = encoder.encode(json);
      if (length > MAX_CHECKPOINT) {
        throw new RangeError(`a checkpoint has at most ${MAX_CHECKPOINT} bytes as JSON, this one has ${length}`);
      }
      note('checkpoint', json);
    },
    /** Shows how far the program is: a number from 0 to 1, and a few words. */
    progress(fraction, message) {
      const number = Number(fraction);
      if (!(number >= 0 && number <= 1)) throw new RangeError(`progress is a number from 0 to 1, not ${fraction}`);
      const words = message === undefined || message === null ? null : String(message).slice(0, MAX_MESSAGE);
      note('progress', stringify([number, words]));
    },
  };
}

/** One write: the kernel keeps short lines apart, however many threads write them. */
function note(kind, json) {
  const line = encoder.encode(`{"${kind}":${json}}\n`);
  for (;;) {
    try {
      writeSync(NOTES_FD, line);
      return;
    } catch (error) {
      if (error.code === 'EBADF') {
        throw new Error('notes are taken from the process that the program began in, and from its threads');
      }
      if (error.code !== 'EAGAIN') throw error;
      wait(clock, 0, 0, RETRY_MS);
    }
  }
}
