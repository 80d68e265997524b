import { constants } from 'node:os';
import type { FailureCode, FailureDetails } from '../contract';
import type { ShutdownSignal } from '../shutdown';
import { EXIT, FAILURE_EXIT } from './exit-codes';

/** The command cannot do what it was asked; the message alone tells a person what to do. */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    message: string,
    readonly exitCode: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Reason of an abort that a signal asked for. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(readonly by: ShutdownSignal) {
    super(`ended by ${by}`);
    this.exitCode = 128 + constants.signals[by];
  }
}

/** What was cancelled because a signal asked for it ends the command as that signal does; other errors pass unchanged. */
export function endedBySignal(error: unknown, signal: AbortSignal): unknown {
  const { reason } = signal as { readonly reason?: unknown };
  const isCancelled = error instanceof Error && error.name === 'ExecutionCancelled';
  if (!isCancelled || !(reason instanceof Interrupted)) return error;
  return new CliError(error.message, reason.exitCode, { cause: error });
}

/** What a failed command says and the code it exits with. */
export interface Failure {
  readonly message: string;
  readonly exitCode: number;
  /** A failure of the contract, or the name of the exit code, such as `USAGE`. */
  readonly code: string;
  readonly retryable: boolean;
  readonly details?: FailureDetails;
  /** For machines, where the message rests on what people have seen before it. */
  readonly reason?: string | undefined;
  /** Only for errors that nobody expected. */
  readonly stack?: string | undefined;
}

interface HourglassFailure extends Error {
  readonly code: FailureCode;
  readonly retryable: boolean;
  readonly details: FailureDetails;
}

// By name, not by class: this module is loaded before the libraries whose errors it recognises.
const EXIT_BY_NAME: Readonly<Record<string, number>> = {
  ConfigError: EXIT.CONFIG,
  SetupError: EXIT.UNAVAILABLE,
  HostUnfitError: EXIT.UNAVAILABLE,
  HostMisconfiguredError: EXIT.CONFIG,
  LeaseStoreError: EXIT.INPUT_OUTPUT,
  // Of the Temporal client and worker: the server is gone, or never was there.
  ServiceError: EXIT.UNAVAILABLE,
  TransportError: EXIT.UNAVAILABLE,
  ExecutionCancelled: EXIT.INTERRUPTED,
  ExecutionNotFound: EXIT.NO_INPUT,
};

const GRPC_UNAVAILABLE = 14;

function isHourglassError(error: Error): error is HourglassFailure {
  return error.name === 'HourglassError';
}

function nameOfExit(exitCode: number): string {
  return Object.entries(EXIT).find(([, code]) => code === exitCode)?.[0] ?? 'INTERRUPTED';
}

/** What the Temporal client says is what it was about to do; gRPC says why that failed. */
function describeServiceError({ message, cause }: Error): string {
  const { code, details } = (cause ?? {}) as { readonly code?: number; readonly details?: string };
  if (code === GRPC_UNAVAILABLE) return `the Temporal server does not answer any more (${message})`;
  return details ? `${message}: ${details}` : message;
}

/** Turns whatever was thrown into what a command says. */
export function describeFailure(error: unknown): Failure {
  if (!(error instanceof Error)) {
    return { message: String(error), exitCode: EXIT.INTERNAL, code: 'INTERNAL', retryable: false };
  }
  const { message, name, stack } = error;
  if (isHourglassError(error)) {
    const { code, retryable, details } = error;
    return { message, exitCode: FAILURE_EXIT[code], code, retryable, details };
  }
  if (error instanceof CliError || error instanceof Interrupted)
    return { message, exitCode: error.exitCode, code: nameOfExit(error.exitCode), retryable: false };
  const known = EXIT_BY_NAME[name];
  const { reason } = error as { reason?: string };
  const said = name === 'ServiceError' ? describeServiceError(error) : message;
  if (known !== undefined) return { message: said, exitCode: known, code: nameOfExit(known), retryable: false, reason };
  return { message, exitCode: EXIT.INTERNAL, code: 'INTERNAL', retryable: false, stack };
}
