import type { Language, SessionOptions } from '../../contract';
import type { GlobalOptions } from '../command';

/** Whose sessions a command means. */
export interface TenantOptions extends GlobalOptions {
  readonly workspaceId?: string;
  readonly userId?: string;
}

/** Options of `hourglass session NAME`. */
export interface SessionCommandOptions extends TenantOptions {
  /** Default: that of the session where it is open, else Python. */
  readonly language?: Language;
  /** In ms, as are the others. */
  readonly idle?: number;
  readonly ttl?: number;
  /** In MB. */
  readonly memory?: number;
  readonly onLost?: NonNullable<SessionOptions['onLost']>;
  readonly keepCalls?: number;
  /** Of each program. */
  readonly timeout?: number;
  readonly verbose?: boolean;
}

/** Options of `hourglass session ls`. */
export interface ListOptions extends GlobalOptions {
  /** At most so many. */
  readonly limit: number;
}

/** Options of `hourglass session rm`. */
export interface RemoveOptions extends TenantOptions {
  /** Longest wait for an end, in ms. */
  readonly wait: number;
}
