import { z } from 'zod';
import type { JsonValue } from './json';
import type { LimitName } from './limits';

/** How a program can end badly. These are results: data, never failures. */
export const PROGRAM_ERROR_CODES = [
  'SYNTAX_ERROR',
  'RUNTIME_ERROR',
  'TIMEOUT',
  'MEMORY_LIMIT',
  'OUTPUT_FILE_ERROR',
  'KILLED',
] as const;

export type ProgramErrorCode = (typeof PROGRAM_ERROR_CODES)[number];

/** What went wrong in a program, with the limit and its value where one was hit. */
export const programErrorSchema = z.strictObject({
  code: z.enum(PROGRAM_ERROR_CODES),
  /** Class of the language's own error, such as `ValueError`; the code's name where the language has none. */
  type: z.string(),
  message: z.string(),
  /** Line of the user's own program, counted from 1. */
  line: z.number().int().positive().optional(),
  traceback: z.string().optional(),
});

export type ProgramError = z.infer<typeof programErrorSchema>;

/** Whose fault a failure is; decides whether a retry can help. */
export type Fault = 'caller' | 'policy' | 'platform';

export interface FailureDefinition {
  readonly fault: Fault;
  readonly retryable: boolean;
  /** Delay before the next attempt where Temporal's own back-off is too eager, in ms. */
  readonly nextRetryDelayMs?: number;
  /** What an execution needs is away, which is no fault of the execution; see `MAX_OUTAGES`. Default: false. */
  readonly isOutage?: boolean;
  /** Says nothing of the execution, which waits for its turn: such attempts are not counted. Default: false. */
  readonly isWait?: boolean;
  readonly meaning: string;
}

/** Every failure of the platform, the policy or the caller: the one table that decides type and retry. */
export const FAILURES = {
  VALIDATION_ERROR: { fault: 'caller', retryable: false, meaning: 'the request is not well formed' },
  POLICY_DENIED: { fault: 'policy', retryable: false, meaning: 'the worker does not grant what the request asks for' },
  INPUT_FILE_ERROR: {
    fault: 'caller',
    retryable: false,
    meaning: 'an input file is missing, unreadable, not text or too large',
  },
  ENGINE_UNAVAILABLE: {
    fault: 'platform',
    retryable: true,
    nextRetryDelayMs: 5_000,
    isOutage: true,
    meaning: 'no sandbox could be started',
  },
  SANDBOX_LOST: {
    fault: 'platform',
    retryable: true,
    nextRetryDelayMs: 1_000,
    meaning:
      'the sandbox vanished before the program ended; not retried once the program may have run, unless the request is `idempotent`',
  },
  PROTOCOL_ERROR: { fault: 'platform', retryable: false, meaning: 'the sandbox sent what the protocol does not allow' },
  QUEUE_TIMEOUT: {
    fault: 'platform',
    retryable: true,
    nextRetryDelayMs: 5_000,
    meaning: 'the host had no room within the queue timeout',
  },
  TENANT_LIMIT: {
    fault: 'policy',
    retryable: true,
    isWait: true,
    meaning: 'the tenant runs as much on this host as it may; `retryAfterMs` says when the execution comes again',
  },
  HOST_DRAINING: {
    fault: 'platform',
    retryable: true,
    nextRetryDelayMs: 100,
    isWait: true,
    meaning: 'the host takes no new work any more; another one does, or this one later',
  },
  WORKSPACE_ERROR: {
    fault: 'platform',
    retryable: true,
    nextRetryDelayMs: 2_000,
    isOutage: true,
    meaning: 'the workspace could not be read or written',
  },
  WORKER_SHUTDOWN: {
    fault: 'platform',
    retryable: true,
    meaning:
      'the worker stopped before the program ended; not retried once the program may have run, unless the request is `idempotent`',
  },
  EXECUTION_INTERRUPTED: {
    fault: 'platform',
    retryable: true,
    meaning: 'the activity was paused or reset, and no attempt came after that',
  },
  OTHER_HOST: {
    fault: 'platform',
    retryable: false,
    meaning: 'an earlier attempt was on another host; the workflow asks that host, and its caller never sees this',
  },
  OUTCOME_UNKNOWN: {
    fault: 'platform',
    retryable: false,
    meaning: 'the host of an earlier attempt is lost, and the program may have run',
  },
  SESSION_LOST: {
    fault: 'platform',
    retryable: false,
    meaning: 'the sandbox of a session is gone, and with it its variables, files and processes; the message says why',
  },
  SESSION_CLOSED: { fault: 'caller', retryable: false, meaning: 'the session has ended: closed, idle or too old' },
  SESSION_MISMATCH: {
    fault: 'caller',
    retryable: false,
    meaning: 'the session was opened with another language or other limits',
  },
  ROLLBACK_REFUSED: {
    fault: 'caller',
    retryable: false,
    meaning: 'a session cannot go back to the state that was asked for, and is as it was; the message says why',
  },
  ROLLBACK_INCOMPLETE: {
    fault: 'platform',
    retryable: false,
    meaning: 'a session went back to an earlier state, but not with all its files; asked again, it tries again',
  },
  SESSION_LIMIT: {
    fault: 'policy',
    retryable: false,
    meaning: 'the tenant has as many sessions on this host as it may have',
  },
  INTERNAL_ERROR: {
    fault: 'platform',
    retryable: true,
    meaning: 'a defect of ours; the worker logs where it comes from',
  },
} as const satisfies Record<string, FailureDefinition>;

export type FailureCode = keyof typeof FAILURES;

/** Failure types Temporal must not retry, for retry policies. */
export const NON_RETRYABLE_FAILURES = (Object.keys(FAILURES) as FailureCode[]).filter(
  (code) => !FAILURES[code].retryable,
);

/** Facts a failure carries beside its message; small and free of user data. */
export interface FailureDetails {
  readonly limit?: LimitName;
  readonly asked?: number;
  readonly max?: number;
  readonly path?: string;
  /** When the next attempt begins, in ms. */
  readonly retryAfterMs?: number;
  readonly sandboxId?: string | undefined;
  readonly hostId?: string;
  /** Under what the host of an earlier attempt remembers the execution. */
  readonly origin?: string;
  /** Where an execution stood when it was last heard of. */
  readonly phase?: string | undefined;
  /** What the program of an earlier attempt has kept. */
  readonly checkpoint?: JsonValue | undefined;
  /** The program may have run, and does not run again: such a failure is not retried. */
  readonly mayHaveRun?: boolean;
  readonly issues?: readonly { path: string; message: string }[];
}

/** A failure inside the worker or the client; the activity turns it into an `ApplicationFailure` by the table. */
export class HourglassError extends Error {
  override readonly name = 'HourglassError';

  constructor(
    readonly code: FailureCode,
    message: string,
    readonly details: FailureDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Whether it lasts as long as something is away that others need, too. */
  get isOutage(): boolean {
    const definition: FailureDefinition = FAILURES[this.code];
    return definition.isOutage === true;
  }

  /** Whether the execution only waits for its turn. */
  get isWait(): boolean {
    const definition: FailureDefinition = FAILURES[this.code];
    return definition.isWait === true;
  }

  get retryable(): boolean {
    return FAILURES[this.code].retryable && this.details.mayHaveRun !== true;
  }
}
