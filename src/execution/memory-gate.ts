import { HourglassError, type ResolvedLimits } from '../contract';

/** Gives slot and memory back. Idempotent. */
export type ReleaseMemory = () => void;

/** What a sandbox takes from the host. */
interface Share {
  readonly mb: number;
  readonly slots: 0 | 1;
}

interface Waiter extends Share {
  admit(): void;
}

/** How long to wait for memory, and what ends the wait early. */
export interface MemoryWait {
  /** Whether one of the slots of executions is needed, too. Default: true. */
  readonly needsSlot?: boolean;
  readonly signal: AbortSignal;
  /** In ms. */
  readonly timeoutMs: number;
}

/** Memory a sandbox with these limits takes from the host, in MB: disk beyond half of the memory comes on top. */
export function memoryNeed(limits: Pick<ResolvedLimits, 'memoryMb' | 'diskMb'>): number {
  return limits.memoryMb + Math.max(0, limits.diskMb - Math.floor(limits.memoryMb / 2));
}

/**
 * Memory and slots that all running sandboxes of this worker share, whichever task queue their executions come from.
 *
 * First come, first served: a large request is never overtaken, so it cannot starve behind small ones.
 */
export class MemoryGate {
  readonly #waiters: Waiter[] = [];
  #usedMb = 0;
  #running = 0;

  /**
   * @param budgetMb What all sandboxes may have together.
   * @param slots How many there may be.
   */
  constructor(
    readonly budgetMb: number,
    readonly slots = Infinity,
  ) {}

  get usedMb(): number {
    return this.#usedMb;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /**
   * Resolves when a slot and the memory are there.
   *
   * Rejects with POLICY_DENIED where it never can be, with QUEUE_TIMEOUT after `timeoutMs`, or with the signal's reason.
   */
  async acquire(mb: number, wait: MemoryWait): Promise<ReleaseMemory> {
    wait.signal.throwIfAborted();
    if (mb > this.budgetMb) throw this.#neverFits(mb);
    const share: Share = { mb, slots: wait.needsSlot === false ? 0 : 1 };
    if (this.#waiters.length > 0 || !this.#fits(share)) await this.#queue(share, wait);
    else this.#use(share);
    return this.#releaseOnce(share);
  }

  /** Notes a slot and memory that are in use already, whether they fit or not: others wait until they are given back. */
  take(mb: number, { needsSlot }: Pick<MemoryWait, 'needsSlot'> = {}): ReleaseMemory {
    const share: Share = { mb, slots: needsSlot === false ? 0 : 1 };
    this.#use(share);
    return this.#releaseOnce(share);
  }

  #fits({ mb, slots }: Share): boolean {
    return this.#usedMb + mb <= this.budgetMb && this.#running + slots <= this.slots;
  }

  #use({ mb, slots }: Share): void {
    this.#usedMb += mb;
    this.#running += slots;
  }

  #queue(share: Share, { signal, timeoutMs }: MemoryWait): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown): void => {
        settle();
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(reason instanceof Error ? reason : new Error(String(reason)));
        // The one who left may have been the only obstacle for those behind.
        this.#admitNext();
      };
      const onAbort = (): void => leave(signal.reason);
      const timer = setTimeout(() => leave(this.#timedOut(share, timeoutMs)), timeoutMs);
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const admit = (): void => {
        settle();
        resolve();
      };
      const waiter: Waiter = { ...share, admit };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  #releaseOnce({ mb, slots }: Share): ReleaseMemory {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#usedMb -= mb;
      this.#running -= slots;
      this.#admitNext();
    };
  }

  #admitNext(): void {
    for (let next = this.#waiters[0]; next !== undefined; next = this.#waiters[0]) {
      if (!this.#fits(next)) return;
      this.#waiters.shift();
      this.#use(next);
      next.admit();
    }
  }

  #neverFits(mb: number): HourglassError {
    const message = `memory of ${mb} MB is asked for, all sandboxes of this worker together have ${this.budgetMb} MB`;
    return new HourglassError('POLICY_DENIED', message, { limit: 'memoryMb', asked: mb, max: this.budgetMb });
  }

  #timedOut({ mb, slots }: Share, timeoutMs: number): HourglassError {
    if (this.#running + slots > this.slots) {
      return new HourglassError('QUEUE_TIMEOUT', `waited ${timeoutMs} ms for one of ${this.slots} slots`);
    }
    const free = this.budgetMb - this.#usedMb;
    const message = `waited ${timeoutMs} ms for ${mb} MB of memory; ${free} of ${this.budgetMb} MB are free`;
    return new HourglassError('QUEUE_TIMEOUT', message, { limit: 'memoryMb', asked: mb, max: this.budgetMb });
  }
}
