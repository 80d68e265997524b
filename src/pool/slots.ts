import type { Slot } from './slot';

/** The slots of a pool, and the questions it asks about them. */
export class Slots implements Iterable<Slot> {
  readonly #slots = new Set<Slot>();

  [Symbol.iterator](): Iterator<Slot> {
    return this.#slots[Symbol.iterator]();
  }

  add(slot: Slot): void {
    this.#slots.add(slot);
  }

  delete(slot: Slot): void {
    this.#slots.delete(slot);
  }

  /** The one that came first, of those that match. */
  find(matches: (slot: Slot) => boolean): Slot | undefined {
    for (const slot of this.#slots) if (matches(slot)) return slot;
    return undefined;
  }

  /** Slots of a key that nobody has: warm ones and boots in advance. Those to give up first come first. */
  waiting(key: string): Slot[] {
    const waiting = [...this.#slots].filter((slot) => slot.key === key && (slot.isIdle || slot.isUnclaimedStart));
    // What still boots has cost less than what is warm, and the oldest has waited longest.
    return waiting.sort((a, b) => Number(a.isIdle) - Number(b.isIdle) || a.bornAt - b.bornAt);
  }

  get starting(): number {
    return [...this.#slots].filter((slot) => slot.state === 'starting').length;
  }

  get leased(): number {
    return [...this.#slots].filter((slot) => slot.state === 'leased').length;
  }

  /** Whether any slot is leased, about to be, or on its way back. */
  get isBusy(): boolean {
    return this.find((slot) => slot.claimed || slot.state === 'leased' || slot.state === 'resetting') !== undefined;
  }
}
