/**
 * The two pipes of the process that runs a program: the job comes in through one, readiness and the report go out
 * through the other. Both are marked close-on-exec by Node itself at its start, so children do not have them.
 */
import fs from 'node:fs';

const CONTROL_FD = 3;
const REPORT_FD = 4;
const LENGTH_BYTES = 4;
const RETRY_MS = 2;

// Taken before any program runs: a program may replace what `fs` holds.
const { closeSync, readSync, writeSync } = fs;
const { wait } = Atomics;
const clock = new Int32Array(new SharedArrayBuffer(4));

/** Writes all of it, also where a non-blocking pipe is full for the moment. Throws what `write` throws otherwise. */
export function writeFully(fd, bytes) {
  let offset = 0;
  while (offset < bytes.length) {
    try {
      offset += writeSync(fd, bytes, offset, bytes.length - offset);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      wait(clock, 0, 0, RETRY_MS);
    }
  }
}

function readExactly(length) {
  const bytes = Buffer.allocUnsafe(length);
  let offset = 0;
  while (offset < length) {
    const count = readSync(CONTROL_FD, bytes, offset, length - offset, null);
    if (count === 0) throw new Error('the control pipe ended early');
    offset += count;
  }
  return bytes;
}

function readPart() {
  return readExactly(readExactly(LENGTH_BYTES).readUInt32BE(0));
}

/** Says that a program could start at once. */
export function sendReady() {
  writeFully(REPORT_FD, Buffer.from('{"ready":true}\n'));
}

/** Waits for the job: `{ spec, code, inputs }`. Throws where the pipe ends before all of it came. */
export function receiveJob() {
  const spec = JSON.parse(readPart().toString('utf8'));
  const code = readPart();
  const inputs = JSON.parse(readPart().toString('utf8'));
  closeSync(CONTROL_FD);
  return { spec, code, inputs };
}

/** Sends the report and closes its pipe. A program that closed the descriptor has no report. */
export function sendReport(bytes) {
  try {
    writeFully(REPORT_FD, bytes);
    closeSync(REPORT_FD);
  } catch (error) {
    // Without a pipe, the exit status alone says how the program ended.
    if (error.code === undefined) throw error;
  }
}
