import type { SandboxSpec } from '../engine/engine';
import type { Log } from '../telemetry/log';
import type { WarmBudget } from './allot';
import type { StartKind } from './pool-stats';
import type { ReuseLimits } from './reuse';
import type { BootContext, Booted } from './slot';

export interface PoolOptions extends BootContext {
  readonly warm: WarmBudget;
  readonly reuse: ReuseLimits;
  /** Sandboxes that are warm from the start and stay so. */
  readonly prewarm: readonly SandboxSpec[];
  /** Boots in advance at the same time; about one a core. */
  readonly parallelBoots: number;
  readonly leaseMs: number;
  readonly log: Log;
}

/** A sandbox that belongs to the caller alone until it is released. */
export interface LeasedSandbox extends Booted {
  readonly startKind: StartKind;
}
