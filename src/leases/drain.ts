import type { DrainMark, LeaseStore } from './lease-store';

/** How late a worker notices what another worker of its host was told. */
const LOOK_MS = 1_000;

type Marks = Pick<LeaseStore, 'drainMark' | 'putDrainMark' | 'removeDrainMark'>;

/** Whether this host takes new work. Kept in the host's store: all its workers go by it, and so do their successors. */
export class Drain {
  readonly #listeners = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  #mark: DrainMark | undefined;

  /** Looks into the store until `close`; that does not keep the process alive. */
  constructor(private readonly store: Marks) {
    this.#mark = store.drainMark();
    this.#timer = setInterval(() => this.#lookSafely(), LOOK_MS).unref();
  }

  /** Undefined where the host takes new work. */
  get mark(): DrainMark | undefined {
    return this.#mark;
  }

  /** Takes no new work; durable when it resolves. A drain that is under way goes on with another time for its sessions. */
  async begin(noticeMs: number, now = Date.now()): Promise<void> {
    await this.store.putDrainMark({ v: 1, since: this.#mark?.since ?? now, sessionsCloseAt: now + noticeMs });
    this.#look();
  }

  /** Takes new work again; durable when it resolves. */
  async end(): Promise<void> {
    await this.store.removeDrainMark();
    this.#look();
  }

  /** Calls the listener after each change; the result stops that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Idempotent. */
  close(): void {
    clearInterval(this.#timer);
    this.#listeners.clear();
  }

  /** A store that cannot be read says so to those who need it. */
  #lookSafely(): void {
    try {
      this.#look();
    } catch {
      return;
    }
  }

  #look(): void {
    const found = this.store.drainMark();
    const { since, sessionsCloseAt } = this.#mark ?? {};
    if (found?.since === since && found?.sessionsCloseAt === sessionsCloseAt) return;
    this.#mark = found;
    for (const listener of this.#listeners) listener();
  }
}
