import { HourglassError, type FailureCode } from '../contract';

/** Why an attempt ended without a result: the failure's type, or `CANCELLED` where the caller ended it. */
export type FailureType = FailureCode | 'CANCELLED';

/** What Temporal calls the end of an attempt that nobody cancelled, by what it counts as. */
const INTERRUPTIONS: ReadonlyMap<string, FailureType> = new Map([
  ['WORKER_SHUTDOWN', 'WORKER_SHUTDOWN'],
  ['PAUSED', 'EXECUTION_INTERRUPTED'],
  ['RESET', 'EXECUTION_INTERRUPTED'],
]);

/** As Temporal hears of it: after a cancellation whatever went wrong meanwhile does not count. */
export function failureType(error: unknown, signal: AbortSignal): FailureType {
  const reason: unknown = signal.reason;
  if (signal.aborted && reason instanceof HourglassError) return reason.code;
  if (signal.aborted) return (reason instanceof Error && INTERRUPTIONS.get(reason.message)) || 'CANCELLED';
  return error instanceof HourglassError ? error.code : 'INTERNAL_ERROR';
}
