/**
 * The pipes of a session's holder: one job after the other comes in through one, readiness and the reports go out through
 * the other. Nothing is read while a call runs, so that an event loop without work is seen to be empty.
 */
import fs from 'node:fs';
import { withIntrinsics } from './intrinsics.mjs';
import { writeFully } from './job.mjs';
import { endProcess } from './session-process.mjs';

const CONTROL_FD = 3;
const REPORT_FD = 4;
const STDERR = 2;
const LENGTH_BYTES = 4;
const PARTS = 3;
const MAX_JOB_BYTES = 256 * 1024 * 1024;
const LANGUAGES = new Set(['javascript', 'typescript']);

// Taken before any program runs: a program may replace what they are.
const { read } = fs;
const { allocUnsafe } = Buffer;

/**
 * Hands jobs to `run({ spec, code, inputs }, onOver)`, one at a time; `onOver(exitCode, report)` sends a call's report and
 * fetches the next job. Ends the process where the pipes end, or carry something else.
 */
export function serveJobs(run) {
  const onOver = (exitCode, report) => {
    guarded(() => sendReport(exitCode, report));
    next();
  };
  const next = () =>
    receive((payload) => {
      const job = guarded(() => withIntrinsics(() => readJob(payload)));
      run(job, onOver);
    });
  next();
}

function guarded(work) {
  try {
    return work();
  } catch (error) {
    return fail(error);
  }
}

function fail(error) {
  try {
    writeFully(STDERR, Buffer.from(`the session's pipes are broken: ${error.message}\n`));
  } finally {
    endProcess(1);
  }
}

function receive(take) {
  readExactly(LENGTH_BYTES, (head) => {
    const length = guarded(() => withIntrinsics(() => payloadLength(head)));
    readExactly(length, take);
  });
}

function readExactly(length, take) {
  const bytes = allocUnsafe(length);
  let offset = 0;
  const onRead = (error, count) => {
    if (error !== null) return fail(error);
    // The guest is gone, and nobody waits for anything.
    if (count === 0) return endProcess(0);
    offset += count;
    return more();
  };
  const more = () => {
    if (offset < length) read(CONTROL_FD, bytes, offset, length - offset, null, onRead);
    else take(bytes);
  };
  more();
}

function payloadLength(head) {
  const length = head.readUInt32BE(0);
  if (length > MAX_JOB_BYTES) throw new RangeError(`a job of ${length} bytes`);
  return length;
}

function readJob(payload) {
  const parts = [];
  for (let offset = 0; offset < payload.length;) {
    const start = offset + LENGTH_BYTES;
    offset = start + payload.readUInt32BE(offset);
    if (offset > payload.length) throw new RangeError('a part of a job that is longer than the job');
    parts.push(payload.subarray(start, offset));
  }
  if (parts.length !== PARTS) throw new RangeError(`a job of ${parts.length} parts`);
  const [spec, code, inputs] = parts;
  const job = {
    spec: JSON.parse(spec.toString('utf8')),
    code: new TextDecoder().decode(code),
    inputs: JSON.parse(inputs.toString('utf8')),
  };
  if (!LANGUAGES.has(job.spec?.language)) throw new TypeError('a job in no language of this process');
  return job;
}

/** A frame: `R`, the length of what follows, the exit code, the report. */
function sendReport(exitCode, report) {
  const head = Buffer.alloc(9);
  head.write('R');
  head.writeUInt32BE(4 + report.length, 1);
  head.writeInt32BE(exitCode, 5);
  writeFully(REPORT_FD, Buffer.concat([head, report]));
}
