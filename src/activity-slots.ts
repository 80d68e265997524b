import type { ActivitySlotInfo, CustomSlotSupplier, SlotPermit } from '@temporalio/worker';

interface Waiter {
  grant(): void;
}

/**
 * Lets a worker ask Temporal for an activity only while it may and has a slot for it: what waits, waits where others can
 * take it. What was asked for before still arrives.
 */
export class ActivitySlots implements CustomSlotSupplier<ActivitySlotInfo> {
  readonly type = 'custom';
  readonly #waiters: Waiter[] = [];
  #taken = 0;

  /** `mayAsk` decides beside the number of slots; whoever changes what they answer calls `look`. */
  constructor(
    private readonly total: () => number,
    private readonly mayAsk: () => boolean,
  ) {}

  reserveSlot(_context: unknown, signal: AbortSignal): Promise<SlotPermit> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        // The SDK knows an abort by its own reason.
        reject(signal.reason as Error);
      };
      const grant = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve({});
      };
      const waiter: Waiter = { grant };
      this.#waiters.push(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      this.look();
    });
  }

  /** No activity comes past its queue, where the order of tenants is kept. */
  tryReserveSlot(): null {
    return null;
  }

  markSlotUsed(): void {
    // A slot is taken from its reservation on.
  }

  releaseSlot(): void {
    this.#taken -= 1;
    this.look();
  }

  /** Gives slots to those that wait, as far as they may have them now. */
  look(): void {
    while (this.#waiters.length > 0 && this.#taken < this.total() && this.mayAsk()) {
      this.#taken += 1;
      this.#waiters.shift()?.grant();
    }
  }
}
