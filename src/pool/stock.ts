import { allotWarm, type WarmBudget } from './allot';
import { REFILL_DELAY_MS, type PoolKey } from './pool-key';
import type { PoolKeys } from './pool-keys';
import { surplus, type ReuseLimits } from './reuse';
import type { Slot } from './slot';
import type { Slots } from './slots';

/** What a stock is kept by, and how it changes. */
export interface StockOptions {
  readonly keys: PoolKeys;
  readonly slots: Slots;
  readonly warm: WarmBudget;
  readonly reuse: ReuseLimits;
  /** Boots in advance at the same time; about one a core. */
  readonly parallelBoots: number;
  readonly boot: (key: PoolKey) => void;
  readonly retire: (slot: Slot) => void;
  readonly onEviction: () => void;
}

/** Keeps what waits in a pool as it should be: boots what is missing, gives up what is more than that. */
export class Stock {
  readonly #options: StockOptions;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: StockOptions) {
    this.#options = options;
  }

  /** Nothing waits any more from now on. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.balance();
  }

  /** Balances a moment later, however often it is asked for meanwhile. */
  balanceSoon(): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.balance();
    }, REFILL_DELAY_MS).unref();
  }

  /** Gives up what is more than allotted, and boots what is missing as far as boots in advance may go on now. */
  balance(): void {
    const { keys, slots, warm, boot } = this.#options;
    const now = Date.now();
    const allotted = this.#closed ? new Map<string, number>() : allotWarm(keys, warm, now);
    for (const { id } of keys) this.#trim(id, allotted.get(id) ?? 0);
    // The latest first, so that a key in great demand does not take every boot there may be.
    for (const key of [...keys].sort((a, b) => b.lastUsedAt - a.lastUsedAt)) {
      if (!key.breaker.mayBoot(now)) continue;
      const missing = this.#mostTries(key, allotted.get(key.id) ?? 0) - slots.waiting(key.id).length;
      for (let boots = 0; boots < missing && this.#mayBoot(); boots += 1) boot(key);
    }
    this.dropSurplus();
  }

  /** Gives up sandboxes that wait for their tenant and are not worth it any more. */
  dropSurplus(): void {
    const { keys, slots, warm, reuse } = this.#options;
    const limits = this.#closed ? { ...reuse, maxWaiting: 0 } : reuse;
    const memory = { memoryMb: warm.memoryMb, idleMb: ({ spec }: Slot) => keys.idleMb(spec) };
    this.#giveUp(surplus(slots, limits, memory, Date.now()));
  }

  /** How many of a key may wait: what is wanted, or one try at a time of all that boots alike after a failure. */
  #mostTries({ breaker }: PoolKey, wanted: number): number {
    if (breaker.failures === 0) return wanted;
    const { keys, slots } = this.#options;
    const tried = slots.find((slot) => slot.isUnclaimedStart && keys.get(slot.key)?.breaker === breaker);
    return Math.min(wanted, tried === undefined ? 1 : 0);
  }

  #trim(id: string, wanted: number): void {
    const waiting = this.#options.slots.waiting(id);
    this.#giveUp(waiting.slice(0, Math.max(0, waiting.length - wanted)));
  }

  #giveUp(slots: readonly Slot[]): void {
    for (const slot of slots) {
      if (slot.state === 'warm') this.#options.onEviction();
      this.#options.retire(slot);
    }
  }

  /** Runs, and leases that wait for their own boot, need the processors more: they leave half of the boots to the rest. */
  #mayBoot(): boolean {
    const { slots, parallelBoots } = this.#options;
    return slots.starting < (slots.leased >= parallelBoots ? Math.ceil(parallelBoots / 2) : parallelBoots);
  }
}
