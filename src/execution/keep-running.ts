import { setTimeout as delay } from 'node:timers/promises';
import { LeaveRunning } from '../runner';
import { executionKey } from './execution-key';
import { resumeRequest } from './execute-request';
import type { Attempt, ExecutionHost } from './host';
import { ExecutionProgress } from './progress';

/** How often is asked whether somebody waits, and how long a fault has to pass; in ms. */
const CHECK_MS = 2_000;
/** A result is forgotten minutes after it was stored, unless somebody says that it is not told yet. */
const STORED_MS = 60_000;

/** Whether somebody waits for the execution; true where nobody can say. Never rejects. */
type IsAwaited = () => Promise<boolean>;

/**
 * Goes on, in the background, with a program whose attempt was set aside: it has its limits, its output files are published and its
 * result is kept, as if the attempt went on. That ends where the next attempt takes it over, or the worker stops; where
 * nobody waits any more, the program is ended.
 */
export function keepRunning(input: unknown, host: ExecutionHost, attempt: Attempt, isAwaited: IsAwaited): void {
  const unawaited = new AbortController();
  const signal = AbortSignal.any([unawaited.signal, host.closing]);
  const check = setInterval(() => void isAwaited().then((awaited) => awaited || unawaited.abort()), CHECK_MS);
  const keeping = keep(input, host, { ...attempt, signal }).catch((error: unknown) => {
    if (!signal.aborted) attempt.log.warn({ error }, 'A program that was set aside is left alone');
  });
  host.background.add(keeping.finally(() => clearInterval(check)));
}

/** Resolves when nothing is left to be kept; rejects when the signal aborts. */
async function keep(input: unknown, host: ExecutionHost, attempt: Attempt): Promise<void> {
  const key = executionKey(attempt);
  const { signal } = attempt;
  while (!(await isOver(input, host, attempt))) await delay(CHECK_MS, undefined, { signal });
  while (host.leases.result(key) !== undefined) {
    await host.leases.keepResult(key);
    await delay(STORED_MS, undefined, { signal });
  }
}

/** Whether it has come to a result, or is somebody else's, or is no more; false after a fault that may pass. */
async function isOver(input: unknown, host: ExecutionHost, attempt: Attempt): Promise<boolean> {
  const { checkpoint, executionId, hostId, onOutputChunk } = attempt.progress;
  const progress = new ExecutionProgress(hostId, executionId, 0, onOutputChunk, attempt.number);
  progress.checkpoint = checkpoint;
  try {
    await resumeRequest(input, host, { ...attempt, progress, turn: host.attempts.nextTurn() });
    return true;
  } catch (error) {
    attempt.log.info({ error }, 'A program that was set aside was left by its worker');
    return error instanceof LeaveRunning || host.leases.get(executionKey(attempt)) === undefined;
  }
}
