import type { ExecutionResult, FailureCode, ProgramErrorCode } from '../contract';

/** Exit codes of the command line. Those from 64 to 78 are the ones of sysexits.h. */
export const EXIT = {
  OK: 0,
  FAILED: 1,
  USAGE: 64,
  REQUEST: 65,
  NO_INPUT: 66,
  UNAVAILABLE: 69,
  INTERNAL: 70,
  CANNOT_CREATE: 73,
  INPUT_OUTPUT: 74,
  TRY_AGAIN: 75,
  DENIED: 77,
  CONFIG: 78,
  TIMEOUT: 124,
  INTERRUPTED: 130,
  MEMORY: 137,
  TERMINATED: 143,
} as const;

/** What each code means, for `hourglass --help`. */
export const EXIT_MEANINGS: Readonly<Record<(typeof EXIT)[keyof typeof EXIT], string>> = {
  0: 'all went well; of run: the program ended with 0',
  1: 'the outcome is not as it should be; of run: the program failed without a code of its own; of cancel: an id is none',
  64: 'wrong use of the command line',
  65: 'the request is not valid or not for this session, or an input file of the workspace is missing or unfit',
  66: 'a local file cannot be read, or there is no execution of that id, or the session has ended',
  69: 'no Temporal server, no Docker engine or no sandbox is to be had, or this host does not keep what is promised',
  70: 'internal error',
  73: 'an output file could not be saved',
  74: 'the workspace, or stdout, cannot be read or written',
  75: 'interrupted, out of room, a session was lost, or (of cancel) not ended in time; trying again may help',
  77: 'the policy of the worker denies what was asked for',
  78: 'the configuration is not valid, or asks for what this host does not have',
  124: 'the program ran into its timeout',
  130: 'cancelled (Ctrl-C)',
  137: 'the program ran into its memory limit, or was killed',
  143: 'ended by SIGTERM',
};

/** Codes for what the platform, the policy or the caller did wrong. */
export const FAILURE_EXIT: Readonly<Record<FailureCode, number>> = {
  VALIDATION_ERROR: EXIT.REQUEST,
  POLICY_DENIED: EXIT.DENIED,
  INPUT_FILE_ERROR: EXIT.REQUEST,
  ENGINE_UNAVAILABLE: EXIT.UNAVAILABLE,
  SANDBOX_LOST: EXIT.TRY_AGAIN,
  PROTOCOL_ERROR: EXIT.INTERNAL,
  INTERNAL_ERROR: EXIT.INTERNAL,
  QUEUE_TIMEOUT: EXIT.TRY_AGAIN,
  TENANT_LIMIT: EXIT.TRY_AGAIN,
  HOST_DRAINING: EXIT.TRY_AGAIN,
  WORKSPACE_ERROR: EXIT.INPUT_OUTPUT,
  OTHER_HOST: EXIT.INTERNAL,
  OUTCOME_UNKNOWN: EXIT.TRY_AGAIN,
  WORKER_SHUTDOWN: EXIT.TRY_AGAIN,
  EXECUTION_INTERRUPTED: EXIT.TRY_AGAIN,
  SESSION_LOST: EXIT.TRY_AGAIN,
  SESSION_CLOSED: EXIT.NO_INPUT,
  SESSION_MISMATCH: EXIT.REQUEST,
  ROLLBACK_REFUSED: EXIT.REQUEST,
  ROLLBACK_INCOMPLETE: EXIT.TRY_AGAIN,
  SESSION_LIMIT: EXIT.DENIED,
};

type Own = (exitCode: number) => number;

const ownOr =
  (fallback: number): Own =>
  (exitCode) =>
    exitCode === 0 ? fallback : exitCode;

/** Codes for programs that end badly; most pass on what the program set. */
const PROGRAM_EXIT: Readonly<Record<ProgramErrorCode, Own>> = {
  SYNTAX_ERROR: ownOr(EXIT.FAILED),
  RUNTIME_ERROR: ownOr(EXIT.FAILED),
  TIMEOUT: () => EXIT.TIMEOUT,
  MEMORY_LIMIT: () => EXIT.MEMORY,
  OUTPUT_FILE_ERROR: ownOr(EXIT.CANNOT_CREATE),
  KILLED: ownOr(EXIT.MEMORY),
};

/** The exit code of `hourglass run` for a program that ran: its own, 124 on timeout, 137 out of memory. */
export function exitCodeOfResult({ error, metadata }: ExecutionResult): number {
  // A process can pass on no more than eight bits.
  const own = metadata.exitCode & 0xff;
  return error === undefined ? own : PROGRAM_EXIT[error.code](own);
}

/** The lines of `hourglass --help` about exit codes. */
export function exitCodeHelp(): string {
  const lines = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`);
  return ['Exit codes (run passes on the code that the program set):', ...lines].join('\n');
}
