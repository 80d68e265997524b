import { isInUse, leadMs, type PoolKey } from './pool-key';

/** What warm sandboxes may cost. */
export interface WarmBudget {
  /** Least number for each key in use, however rarely it is used; 0 switches warming off. */
  readonly warmPerKey: number;
  /** Warm sandboxes of all keys together. */
  readonly maxWarm: number;
  /** Memory that all of them hold while they wait, those kept for tenants included, in MB. */
  readonly memoryMb: number;
}

/** How many sandboxes a key should have warm: what is used while the next ones boot, and not less than the least. */
function wanted(key: PoolKey, { warmPerKey }: WarmBudget, now: number): number {
  return warmPerKey === 0 ? 0 : Math.max(warmPerKey, key.demand.within(leadMs(key), now));
}

/** Who comes first: pinned keys, then those in demand; one tenant's many limits, each used once, displace neither. */
function byClaim(now: number): (a: PoolKey, b: PoolKey) => number {
  return (a, b) =>
    Number(b.pinned) - Number(a.pinned) || b.demand.perMs(now) - a.demand.perMs(now) || b.lastUsedAt - a.lastUsedAt;
}

/**
 * How many sandboxes each key should have warm.
 *
 * Every key in use gets its first before any gets its second; where there is not enough for all, pinned keys come
 * first, then those used most lately. Keys that get none are absent.
 */
export function allotWarm(keys: Iterable<PoolKey>, budget: WarmBudget, now: number): Map<string, number> {
  const inUse = [...keys].filter((key) => isInUse(key, now)).sort(byClaim(now));
  const wishes = inUse.map((key) => ({ key, wish: wanted(key, budget, now) }));
  const rounds = Math.max(0, ...wishes.map(({ wish }) => wish));
  const allotted = new Map<string, number>();
  let left = budget.maxWarm;
  let leftMb = budget.memoryMb;
  for (let round = 0; round < Math.min(rounds, budget.maxWarm); round += 1) {
    for (const { key, wish } of wishes) {
      if (wish <= round || left === 0 || key.idleMb > leftMb) continue;
      allotted.set(key.id, round + 1);
      left -= 1;
      leftMb -= key.idleMb;
    }
  }
  return allotted;
}
