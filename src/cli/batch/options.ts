import type { GlobalOptions } from '../command';

/** Options of `hourglass batch`. */
export interface BatchOptions extends GlobalOptions {
  readonly output: string;
  /** Lines that run at the same time; default: as many as a worker runs. */
  readonly concurrency?: number;
  /** Files up to this size come back inside their result line. */
  readonly inlineFiles: number;
  /** Through the engine alone, without Temporal. */
  readonly direct?: boolean;
  /** Sessions that the batch has opened are left open. */
  readonly keepSessions?: boolean;
  readonly verbose?: boolean;
}
