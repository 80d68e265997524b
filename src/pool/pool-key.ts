import type { SandboxSpec } from '../engine/engine';
import { sandboxKey } from '../engine/sandbox-spec';
import type { Breaker } from './breaker';
import { Demand } from './demand';

/** How long a key that nobody uses stays warm, at least. */
export const IDLE_MS = 5 * 60_000;
/** A key whose uses come by the clock stays warm for this many of their gaps, ... */
const IDLE_GAPS = 1.5;
/** ... at most for this long. */
export const LONGEST_IDLE_MS = 60 * 60_000;

/** Assumed before the first boot. */
const BOOT_MS = 1_000;
const BOOT_WEIGHT = 0.3;
/** A refill waits for the run that made it necessary: most are over by then. */
export const REFILL_DELAY_MS = 200;
/** Boots wait for each other: a sandbox that is missing is there after this many boots. */
const BOOTS_IN_TURN = 2;

/** What the pool knows about one kind of sandbox. */
export interface PoolKey {
  readonly id: string;
  readonly spec: SandboxSpec;
  /** Memory one of them holds while it waits, in MB. */
  readonly idleMb: number;
  /** Stays warm without being used. */
  readonly pinned: boolean;
  readonly demand: Demand;
  /** That of all keys of this runtime and preload set. */
  readonly breaker: Breaker;
  lastUsedAt: number;
  /** What a boot takes lately, in ms. */
  bootMs: number;
}

export function poolKey(known: Pick<PoolKey, 'spec' | 'idleMb' | 'pinned' | 'breaker'>, now: number): PoolKey {
  return { ...known, id: sandboxKey(known.spec), demand: new Demand(), lastUsedAt: now, bootMs: BOOT_MS };
}

/** Learns from a boot that went well. */
export function noteBoot(key: PoolKey, tookMs: number): void {
  key.breaker.noteBoot();
  key.bootMs += BOOT_WEIGHT * (tookMs - key.bootMs);
}

/** Learns from a use that takes a sandbox away. */
export function noteUse(key: PoolKey, now: number): void {
  key.lastUsedAt = now;
  key.demand.note(now);
}

/** From a lease to the sandbox that replaces what it took, in ms. */
export function leadMs(key: PoolKey): number {
  return REFILL_DELAY_MS + BOOTS_IN_TURN * key.bootMs;
}

export function isInUse(key: PoolKey, now: number): boolean {
  const byClock = Math.min(LONGEST_IDLE_MS, IDLE_GAPS * (key.demand.gapMs ?? 0));
  return key.pinned || now - key.lastUsedAt < Math.max(IDLE_MS, byClock);
}
