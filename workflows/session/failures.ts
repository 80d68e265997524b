import { ActivityFailure, ApplicationFailure, TemporalFailure, TimeoutFailure } from '@temporalio/workflow';
import type { FailureDetails, SessionPlace } from '../../src/contract';

/** The sandbox of a session is gone. */
export interface Loss {
  readonly message: string;
  /** The call that met it may have run. */
  readonly mayHaveRun: boolean;
}

/** A failure without a stack, which would name files of the worker's machine. */
export function sessionFailure(type: string, message: string, details: FailureDetails = {}): ApplicationFailure {
  const failure = ApplicationFailure.nonRetryable(message, type, details);
  failure.stack = '';
  return failure;
}

/** What an error says about the session's sandbox; undefined where it is as it was. */
export function lossOf(error: unknown): Loss | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (cause instanceof TimeoutFailure) {
    // Of a second attempt that found no worker, the first may have run.
    const isFirst = cause.cause === undefined && cause.lastHeartbeatDetails === undefined;
    const mayHaveRun = cause.timeoutType !== 'SCHEDULE_TO_START' || !isFirst;
    return { message: 'the session is lost: its host does not answer', mayHaveRun };
  }
  if (!(cause instanceof ApplicationFailure) || cause.type !== 'SESSION_LOST') return undefined;
  const [details] = (cause.details ?? []) as (FailureDetails | undefined)[];
  return { message: cause.message, mayHaveRun: details?.mayHaveRun !== false };
}

/** What the call is told that met it. */
export function lostFailure({ message, mayHaveRun }: Loss, { hostId, sandboxId }: SessionPlace): ApplicationFailure {
  return sessionFailure('SESSION_LOST', message, { hostId, sandboxId, mayHaveRun });
}

/** What an update fails with: anything else would fail the workflow's task, again and again. */
export function asFailure(error: unknown): TemporalFailure {
  if (error instanceof TemporalFailure) return error;
  return sessionFailure('INTERNAL_ERROR', error instanceof Error ? error.message : 'unknown error');
}
