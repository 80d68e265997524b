import type { ExecutionHost } from '../execution/host';
import type { Sessions } from './sessions';

/** What one host offers to sessions beside executions. */
export interface SessionHost extends ExecutionHost {
  readonly sessions: Sessions;
  /** Without a call for longer a session ends, where it says nothing else; in ms. */
  readonly sessionTtlMs: number;
  /** How long a session lasts, where it says nothing else; in ms. */
  readonly sessionMaxAgeMs: number;
  /** Whether sessions go on when their worker is shut down. */
  readonly sessionsGoOn: boolean;
}
