import { HourglassError, type Language, type SessionKey } from '../contract';
import type { LiveSession } from './live-session';
import { keyText } from '../leases/execution-key';
import { leaseKey } from './session-record';

/** How many sessions one worker holds. */
export interface SessionBounds {
  readonly max: number;
  readonly maxPerTenant: number;
}

interface Entry {
  readonly key: SessionKey;
  readonly made: Promise<LiveSession | undefined>;
  live?: LiveSession | undefined;
}

/** The sessions of one worker. */
export class Sessions {
  readonly #entries = new Map<string, Entry>();

  constructor(readonly bounds: SessionBounds) {}

  /** Those that are there now. */
  live(): LiveSession[] {
    return [...this.#entries.values()].flatMap(({ live }) => live ?? []);
  }

  /** Their languages, one for each of them. */
  languages(): Language[] {
    return this.live().map(({ hold }) => hold.language);
  }

  /**
   * The session of this key, which `take` looks for where it is not here, or which `make` makes where it is nowhere: however
   * many ask at the same time, one is made.
   *
   * Rejects with what they reject with; with HourglassError SESSION_LIMIT where the tenant has as many as it may have,
   * QUEUE_TIMEOUT where the worker has.
   */
  async open(
    key: SessionKey,
    take: () => Promise<LiveSession | undefined>,
    make: () => Promise<LiveSession>,
  ): Promise<LiveSession> {
    const taken = await this.#entry(key, async () => {
      const found = await take().catch(unlessLost);
      if (found !== undefined) return found;
      this.#requireRoom(key);
      return make();
    });
    if (taken === undefined) throw new Error('a session was neither taken nor made');
    return taken;
  }

  /** The session of this key; where it is not here, what `take` finds of it. Rejects with what that rejects with. */
  find(key: SessionKey, take: () => Promise<LiveSession | undefined>): Promise<LiveSession | undefined> {
    return this.#entry(key, take);
  }

  /** Whether a session that somebody else may ask for has this sandbox. */
  holds(sandboxId: string): boolean {
    return this.live().some((session) => session.sandboxId === sandboxId);
  }

  /** Lets go of sessions that another worker of this host has taken over. */
  dropForeign(): void {
    for (const session of this.live()) {
      if (session.isOurs) continue;
      this.forget(session);
      session.leave();
    }
  }

  /** Takes a session off the list; whoever has it ends it. */
  forget(session: LiveSession): void {
    const text = keyText(leaseKey(session.key));
    if (this.#entries.get(text)?.live === session) this.#entries.delete(text);
  }

  /** Lets go of all of them, or destroys them. Never rejects. */
  async end(how: 'keep' | 'close'): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.allSettled(
      entries.map(async ({ made }) => {
        const live = await made;
        if (how === 'keep') live?.leave();
        else await live?.close();
      }),
    );
  }

  async #entry(key: SessionKey, make: () => Promise<LiveSession | undefined>): Promise<LiveSession | undefined> {
    const text = keyText(leaseKey(key));
    const there = this.#entries.get(text);
    if (there !== undefined && there.live?.isOurs !== false) return there.made;
    // What another worker has taken over, or what has ended, is here no more.
    there?.live?.leave();
    const entry: Entry = { key, made: make() };
    this.#entries.set(text, entry);
    try {
      entry.live = await entry.made;
    } finally {
      if (entry.live === undefined && this.#entries.get(text) === entry) this.#entries.delete(text);
    }
    return entry.live;
  }

  /** The one that asks is on the list already. */
  #requireRoom({ workspaceId, userId }: SessionKey): void {
    const { max, maxPerTenant } = this.bounds;
    const others = this.#entries.size - 1;
    const own = [...this.#entries.values()].filter(
      ({ key }) => key.workspaceId === workspaceId && key.userId === userId,
    );
    if (own.length - 1 >= maxPerTenant) {
      const message = `the tenant has ${own.length - 1} sessions on this host, which are as many as it may have`;
      throw new HourglassError('SESSION_LIMIT', message, { max: maxPerTenant });
    }
    if (others >= max) {
      throw new HourglassError('QUEUE_TIMEOUT', `this worker holds ${others} sessions and has no room for more`);
    }
  }
}

/** What is lost is made anew by whoever asks for it to be opened. */
function unlessLost(error: unknown): undefined {
  if (error instanceof HourglassError && error.code === 'SESSION_LOST') return undefined;
  throw error;
}
