import type { SandboxSpec } from '../engine/engine';
import { sandboxKey } from '../engine/sandbox-spec';

/** Boots of a key that fail in a row before the pool stops refilling it. */
export const BREAKER_FAILURES = 3;
/** How long a key that does not boot is left alone. */
export const BREAKER_MS = 60_000;
/** How long a key that nobody uses stays warm. */
export const IDLE_MS = 5 * 60_000;

/** What the pool knows about one kind of sandbox. */
export interface PoolKey {
  readonly id: string;
  readonly spec: SandboxSpec;
  /** Stays warm without being used. */
  readonly pinned: boolean;
  lastUsedAt: number;
  /** Boots that failed since the last one that did not. */
  failures: number;
  /** When the last of them failed. */
  failedAt: number;
}

export function poolKey(spec: SandboxSpec, pinned: boolean, now: number): PoolKey {
  return { id: sandboxKey(spec), spec, pinned, lastUsedAt: now, failures: 0, failedAt: 0 };
}

/** Whether the pool may boot this key in advance: after too many failures it rests, and then gets one try at a time. */
export function mayRefill(key: PoolKey, now: number): boolean {
  return key.failures < BREAKER_FAILURES || now - key.failedAt >= BREAKER_MS;
}

export function isInUse(key: PoolKey, now: number): boolean {
  return key.pinned || now - key.lastUsedAt < IDLE_MS;
}

/**
 * How many sandboxes each key should have warm.
 *
 * Every key in use gets its first before any gets its second; where there is not enough for all, the most recently
 * used come first. Keys that get none are absent.
 */
export function allotWarm(
  keys: Iterable<PoolKey>,
  { warmPerKey, maxWarm }: { readonly warmPerKey: number; readonly maxWarm: number },
  now: number,
): Map<string, number> {
  const inUse = [...keys].filter((key) => isInUse(key, now)).sort((a, b) => b.lastUsedAt - a.lastUsedAt);
  const rounds = Array.from({ length: warmPerKey }, () => inUse).flat();
  const allotted = new Map<string, number>();
  for (const { id } of rounds.slice(0, maxWarm)) allotted.set(id, (allotted.get(id) ?? 0) + 1);
  return allotted;
}
