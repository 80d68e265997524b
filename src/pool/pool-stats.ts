import type { SANDBOX_START_KINDS } from '../contract';
import type { SlotState } from './slot-state';

/** How a lease was answered. */
export type StartKind = (typeof SANDBOX_START_KINDS)[number];

/** What a pool has done and what it holds; counts only, for logs and metrics. */
export interface PoolStats {
  /** Slots now, by state. */
  readonly slots: Readonly<Record<Exclude<SlotState, 'gone'>, number>>;
  /** Keys the pool knows. */
  readonly keys: number;
  /** Leases answered so far, by kind. */
  readonly leases: Readonly<Record<StartKind, number>>;
  /** Boots that ended READY so far. */
  readonly boots: number;
  /** Boots that failed so far; given up ones are not among them. */
  readonly bootFailures: number;
  /** Warm sandboxes that died while they waited. */
  readonly deaths: number;
  /** Warm sandboxes given up because they idled or gave way. */
  readonly evictions: number;
  /** Time from the start of the boot to READY of the latest, in ms. */
  readonly lastBootMs: number | undefined;
}

/** The counters behind PoolStats. */
export class PoolCounters {
  readonly leases: Record<StartKind, number> = { warm: 0, cold: 0, reused: 0 };
  boots = 0;
  bootFailures = 0;
  deaths = 0;
  evictions = 0;
  lastBootMs: number | undefined;

  snapshot(slots: Iterable<{ readonly state: SlotState }>, keys: number): PoolStats {
    const counts = { starting: 0, warm: 0, leased: 0, resetting: 0, retiring: 0, broken: 0 };
    for (const { state } of slots) if (state !== 'gone') counts[state] += 1;
    const { leases, boots, bootFailures, deaths, evictions, lastBootMs } = this;
    return { slots: counts, keys, leases: { ...leases }, boots, bootFailures, deaths, evictions, lastBootMs };
  }
}
