import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { BOUNDS, FAILURES, HourglassError, type FailureDefinition, type Fault } from '../src/contract';
import { beginningOfText } from '../src/execution/bounded-text';

/** Whether a failure is expected in daily business: then Temporal logs it at debug level and counts it in no alert. */
const CATEGORY_OF_FAULT: Readonly<Record<Fault, ApplicationFailureCategory | undefined>> = {
  caller: ApplicationFailureCategory.BENIGN,
  policy: ApplicationFailureCategory.BENIGN,
  platform: undefined,
};

function fromHourglassError(error: HourglassError, isLast: boolean): ApplicationFailure {
  const definition: FailureDefinition = FAILURES[error.code];
  const failure = ApplicationFailure.create({
    type: error.code,
    message: beginningOfText(error.message, BOUNDS.errorMessageBytes),
    nonRetryable: isLast || !error.retryable,
    details: [error.details],
    nextRetryDelay: error.details.retryAfterMs ?? definition.nextRetryDelayMs,
    category: CATEGORY_OF_FAULT[definition.fault],
  });
  return withoutStack(failure);
}

/** An error that no table knows: a defect of ours. Retried, because nothing says that it would happen again. */
function fromUnknown(error: unknown, isLast: boolean): ApplicationFailure {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown error';
  const failure = ApplicationFailure.create({
    type: 'INTERNAL_ERROR',
    message: beginningOfText(message, BOUNDS.errorMessageBytes),
    nonRetryable: isLast,
  });
  return withoutStack(failure);
}

// Stacks name files of the worker's machine; they belong into its log, not into a history that callers read.
function withoutStack(failure: ApplicationFailure): ApplicationFailure {
  failure.stack = '';
  return failure;
}

/**
 * What the activity throws for an error.
 *
 * After a cancellation it is the signal's reason, whatever went wrong meanwhile: Temporal decides by it. A cancelled,
 * closed or timed out activity ends as cancelled; a paused one as `ActivityPause`, a reset one as `ActivityReset`, one whose
 * worker shuts down as `WorkerShutdown`, all three retryable. But what the worker took along and may not run again is final.
 *
 * @param isLast Whether no attempt is to follow.
 */
export function toTemporalFailure(error: unknown, signal: AbortSignal, isLast = false): unknown {
  if (signal.aborted && !isTakenAlong(error)) return signal.reason;
  if (error instanceof HourglassError) return fromHourglassError(error, isLast);
  return fromUnknown(error, isLast);
}

function isTakenAlong(error: unknown): boolean {
  return error instanceof HourglassError && error.code === 'WORKER_SHUTDOWN' && error.details.mayHaveRun === true;
}
