import type { GlobalOptions } from '../command';
import type { State } from '../executions/standing';

/** Options of `hourglass ls`. */
export interface LsOptions extends GlobalOptions {
  /** Default: all. */
  readonly state?: readonly State[];
  /** Of those that are open, and of those that have ended, each. */
  readonly limit: number;
  /** Only those that ended within the last ms. */
  readonly since?: number;
}
