import { WorkflowFailedError, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { FAILURES, HourglassError, type FailureCode, type FailureDetails } from './contract';

/** The execution was cancelled or terminated before its program ended: neither a result nor a failure. */
export class ExecutionCancelled extends Error {
  override readonly name = 'ExecutionCancelled';

  constructor(
    readonly executionId: string,
    /** How it was ended: `cancelled` lets the sandbox be removed first, `terminated` does not wait. */
    readonly how: 'cancelled' | 'terminated',
    options?: ErrorOptions,
  ) {
    super(`Execution ${executionId} was ${how}`, options);
  }
}

/** The server knows no execution of this workflow id: it never was, or its history is no longer kept. */
export class ExecutionNotFound extends Error {
  override readonly name = 'ExecutionNotFound';

  constructor(
    readonly workflowId: string,
    options?: ErrorOptions,
  ) {
    super(`There is no execution with workflow id ${workflowId}`, options);
  }
}

/** Failure types that Temporal's SDK reports for an attempt it interrupted. */
const CODE_OF_INTERRUPTION: ReadonlyMap<string, FailureCode> = new Map([
  ['WorkerShutdown', 'WORKER_SHUTDOWN'],
  ['ActivityPause', 'EXECUTION_INTERRUPTED'],
  ['ActivityReset', 'EXECUTION_INTERRUPTED'],
]);

function failureCode(type: string | null | undefined): FailureCode | undefined {
  if (typeof type !== 'string') return undefined;
  return Object.hasOwn(FAILURES, type) ? (type as FailureCode) : CODE_OF_INTERRUPTION.get(type);
}

function fromApplicationFailure(failure: ApplicationFailure): Error {
  const code = failureCode(failure.type);
  if (code === undefined) return failure;
  const details = failure.details?.[0] as FailureDetails | undefined;
  return new HourglassError(code, failure.message, details, { cause: failure });
}

function fromTimeout(failure: TimeoutFailure): HourglassError {
  const message = `the worker did not answer in time (${failure.timeoutType ?? 'TIMEOUT'})`;
  return new HourglassError('SANDBOX_LOST', message, {}, { cause: failure });
}

/** What a caller gets for a workflow that did not end with a result; errors that are not of this kind pass unchanged. */
export function toExecutionError(executionId: string, error: unknown): unknown {
  if (error instanceof WorkflowNotFoundError) return new ExecutionNotFound(executionId, { cause: error });
  if (!(error instanceof WorkflowFailedError || error instanceof WorkflowUpdateFailedError)) return error;
  const cause = error.cause instanceof ActivityFailure ? error.cause.cause : error.cause;
  if (cause instanceof CancelledFailure) return new ExecutionCancelled(executionId, 'cancelled', { cause: error });
  if (cause instanceof TerminatedFailure) return new ExecutionCancelled(executionId, 'terminated', { cause: error });
  if (cause instanceof TimeoutFailure) return fromTimeout(cause);
  if (cause instanceof ApplicationFailure) return fromApplicationFailure(cause);
  return error;
}
