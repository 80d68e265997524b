import type { HourglassSession } from '../../client';

/**
 * A session that is opened by the first use that succeeds.
 *
 * A client stays with the session that it has reached, also where that could not be opened; until one of its calls has come
 * back each call is a new client's.
 */
export class Reopening {
  #session: HourglassSession | undefined;
  #isOpen = false;

  constructor(private readonly open: () => HourglassSession) {}

  /** Whether a call has come back. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** One use at a time. Rejects with what `work` rejects with. */
  async use<T>(work: (session: HourglassSession) => Promise<T>): Promise<T> {
    const session = (this.#session ??= this.open());
    try {
      const result = await work(session);
      this.#isOpen = true;
      return result;
    } catch (error) {
      if (!this.#isOpen) this.#session = undefined;
      throw error;
    }
  }
}
