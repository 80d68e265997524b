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

/** What sandboxes that wait may hold together, those for anybody and those for their tenants. */
export interface WaitingMemory {
  readonly memoryMb: number;
  /** What one of them holds, in MB. */
  idleMb(slot: Slot): number;
}

/**
 * Sandboxes that wait for their tenant and are not worth it any more.
 *
 * Those that wait for anybody have their memory first; of the rest those used last get as much as there is.
 */
export function surplus(all: Iterable<Slot>, limits: ReuseLimits, memory: WaitingMemory, now: number): Slot[] {
  const slots = [...all];
  const forAnybody = slots.filter((slot) => slot.isIdle || slot.isUnclaimedStart);
  let leftMb = forAnybody.reduce((left, slot) => left - memory.idleMb(slot), memory.memoryMb);
  const kept = slots.filter((slot) => slot.isKept).sort((a, b) => b.usedAt - a.usedAt);
  return kept.filter((slot, index) => {
    const isOld = isWorn(slot, limits, now) || now - slot.usedAt >= IDLE_MS;
    if (index >= limits.maxWaiting || isOld || memory.idleMb(slot) > leftMb) return true;
    leftMb -= memory.idleMb(slot);
    return false;
  });
}
