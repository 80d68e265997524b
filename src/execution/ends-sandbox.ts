import { HourglassError, type FailureCode } from '../contract';

const ENDS_IT: ReadonlySet<FailureCode> = new Set(['SANDBOX_LOST', 'PROTOCOL_ERROR']);

/** Whether a sandbox, or the stream to it, is of no use to anybody after this failure. */
export function endsSandbox(error: unknown): error is HourglassError {
  return error instanceof HourglassError && ENDS_IT.has(error.code);
}
