/** After this a use counts for a third: long enough to be steady, short enough to follow the hour of the day. */
const MEMORY_MS = 60_000;
/** Weight of the latest gap between two uses. */
const GAP_WEIGHT = 0.3;
/** Standard deviations of the number of uses in a while that sandboxes are kept for: about one use in forty finds none. */
const MARGIN = 2;

/** How often something is used, learnt from its uses. */
export class Demand {
  #perMs = 0;
  #lastAt: number | undefined;
  #gapMs: number | undefined;

  /** Notes one use; `now` never goes back. */
  note(now: number): void {
    if (this.#lastAt !== undefined) {
      const gap = now - this.#lastAt;
      this.#gapMs = this.#gapMs === undefined ? gap : this.#gapMs + GAP_WEIGHT * (gap - this.#gapMs);
    }
    this.#perMs = this.perMs(now) + 1 / MEMORY_MS;
    this.#lastAt = now;
  }

  /** Uses a millisecond, lately. */
  perMs(now: number): number {
    return this.#lastAt === undefined ? 0 : this.#perMs * Math.exp((this.#lastAt - now) / MEMORY_MS);
  }

  /** Typical time between two uses, in ms; undefined before the second. */
  get gapMs(): number | undefined {
    return this.#gapMs;
  }

  /** How many are used within a time, with a margin for uses that come in bunches. */
  within(ms: number, now: number): number {
    const expected = this.perMs(now) * ms;
    return Math.ceil(expected + MARGIN * Math.sqrt(expected));
  }
}
