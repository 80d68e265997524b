import type { Slot } from './slot';

/** How long one tenant's sandboxes serve that tenant again. */
export interface ReuseLimits {
  /** Runs in one sandbox; 0: none is ever used again. */
  readonly maxUses: number;
  /** Age of a sandbox, in ms, from its boot. */
  readonly maxAgeMs: number;
  /** Sandboxes of all tenants that wait together; those used longest ago go first. */
  readonly maxWaiting: number;
}

/** One that its tenant does not use for longer is given up, in ms. */
const IDLE_MS = 60_000;

/** Whether a sandbox has served its time: it is destroyed instead of being reset. */
export function isWorn(slot: Slot, { maxUses, maxAgeMs }: ReuseLimits, now: number): boolean {
  return slot.uses >= maxUses || now - slot.bornAt >= maxAgeMs;
}

/** What a run of a tenant asks for. */
export interface OwnWish {
  readonly key: string;
  readonly tenant: string;
}

/** The sandbox for the next run of a tenant, not worn: one that waits, else one whose reset is under way. */
export function findOwn(slots: Iterable<Slot>, wish: OwnWish, limits: ReuseLimits, now: number): Slot | undefined {
  let returning: Slot | undefined;
  for (const slot of slots) {
    const isOwn = slot.key === wish.key && slot.tenant === wish.tenant;
    if (!isOwn || !slot.isAlive || isWorn(slot, limits, now)) continue;
    if (slot.isKept) return slot;
    if (slot.isReturning) returning ??= slot;
  }
  return returning;
}

/** Sandboxes that wait for their tenant and are not worth it any more. */
export function surplus(slots: Iterable<Slot>, limits: ReuseLimits, now: number): Slot[] {
  const kept = [...slots].filter((slot) => slot.isKept).sort((a, b) => b.usedAt - a.usedAt);
  return kept.filter(
    (slot, index) => index >= limits.maxWaiting || isWorn(slot, limits, now) || now - slot.usedAt >= IDLE_MS,
  );
}
