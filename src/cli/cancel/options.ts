import type { GlobalOptions } from '../command';

/** Options of `hourglass cancel`. */
export interface CancelOptions extends GlobalOptions {
  /** False with `--no-wait`. */
  readonly wait: boolean;
  /** Longest wait for the end, in ms. */
  readonly timeout: number;
}
