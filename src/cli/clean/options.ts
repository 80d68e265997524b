import type { GlobalOptions } from '../command';

/** Options of `hourglass clean`. */
export interface CleanOptions extends GlobalOptions {
  /** Says what would go, and changes nothing. */
  readonly dryRun?: boolean;
  /** Also images of other versions. */
  readonly images?: boolean;
  /** Younger images stay; in ms. */
  readonly olderThan: number;
}
