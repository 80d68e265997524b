import type { GlobalOptions } from '../command';

/** Options of `hourglass drain`. */
export interface DrainOptions extends GlobalOptions {
  /** The host takes new work again. */
  readonly undo?: boolean;
  /** How long its sessions may go on, in ms. */
  readonly notice: number;
}
