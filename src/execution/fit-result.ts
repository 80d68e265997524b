import { BOUNDS, type ExecutionResult, type ProgramError } from '../contract';
import { beginningOfText, cutMiddle, jsonBytes } from './bounded-text';

/** Warnings of one result together, as JSON. */
const WARNINGS_BYTES = 16 * 1024;
/** One warning, as JSON. */
const WARNING_BYTES = 1_024;
const ERROR_TYPE_BYTES = 256;

/** Warnings within their bounds: each cut, and the last of many replaced by their number. */
export function boundWarnings(warnings: readonly string[]): string[] {
  const kept: string[] = [];
  let room = WARNINGS_BYTES - WARNING_BYTES;
  for (const warning of warnings) {
    const text = beginningOfText(warning, WARNING_BYTES);
    room -= jsonBytes(text) + 1;
    if (room < 0) return [...kept, `${warnings.length - kept.length} more warnings`];
    kept.push(text);
  }
  return kept;
}

/** An error within its bounds as JSON, whatever characters its texts hold. */
export function boundError(error: ProgramError): ProgramError {
  return {
    ...error,
    type: beginningOfText(error.type, ERROR_TYPE_BYTES),
    message: beginningOfText(error.message, BOUNDS.errorMessageBytes),
    ...(error.traceback === undefined ? {} : { traceback: cutMiddle(error.traceback, BOUNDS.tracebackBytes) }),
  };
}

/** How large the JSON of the result value may be when everything else of an ExecutionResult is in place. */
export function roomForResult(rest: Omit<ExecutionResult, 'result'>): number {
  return BOUNDS.payloadBytes - jsonBytes({ ...rest, result: null }) + 'null'.length;
}

/**
 * The result within `BOUNDS.payloadBytes` as JSON: what is too much is cut from stdout and stderr, with a warning.
 *
 * Requires: error and warnings are bounded, and the result value fits or is stored by reference.
 */
export function fitResult(unordered: ExecutionResult): ExecutionResult {
  const result = mostTellingFirst(unordered);
  if (jsonBytes(result) <= BOUNDS.payloadBytes) return result;
  const warning = `stdout and stderr were cut to fit into a payload of ${BOUNDS.payloadBytes} bytes`;
  const bare = { ...result, stdout: '', stderr: '', warnings: [...result.warnings, warning] };
  // The two pairs of quotes are counted in the empty texts already.
  const room = BOUNDS.payloadBytes - jsonBytes(bare) + 4;
  const [out, err] = [jsonBytes(result.stdout), jsonBytes(result.stderr)];
  const half = Math.floor(room / 2);
  return {
    ...bare,
    stdout: cutMiddle(result.stdout, Math.max(half, room - err)),
    stderr: cutMiddle(result.stderr, Math.max(half, room - out)),
  };
}

/** The order in which people read a result in the Temporal UI. */
function mostTellingFirst({ success, result, resultFile, error, ...rest }: ExecutionResult): ExecutionResult {
  return {
    success,
    result,
    ...(resultFile === undefined ? {} : { resultFile }),
    ...(error === undefined ? {} : { error }),
    ...rest,
  };
}
