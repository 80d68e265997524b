import { HourglassError, type SessionKey } from '../contract';
import type { ExecutionKey, Lease, LeaseStore, SessionHold } from '../leases/lease-store';
import { isOfAttempt } from '../leases/of-attempt';

/** Under what a host remembers a session: no execution has such an origin. */
export function leaseKey({ workspaceId, userId, sessionId, instance }: SessionKey): ExecutionKey {
  return { tenant: { workspaceId, userId }, executionId: sessionId, origin: `session ${instance}` };
}

/** The session that a lease is of; undefined for one of an execution. */
export function keyOf({ tenant, session }: Lease): SessionKey | undefined {
  return session && { ...tenant, sessionId: session.sessionId, instance: session.instance };
}

/** The record of one session in the host's store, by which its next owner finds the sandbox and what it was doing. */
export class SessionRecord {
  #lease: Lease;

  /** Requires: the lease is one of a session. */
  constructor(
    private readonly store: LeaseStore,
    lease: Lease,
  ) {
    this.#lease = lease;
  }

  get lease(): Lease {
    return this.#lease;
  }

  /** Whether nobody else has taken the session over. */
  get isOurs(): boolean {
    const record = this.store.get(this.#lease);
    return record !== undefined && isOfAttempt(record, this.#lease);
  }

  /** Writes it for the first time; durable when this resolves. Rejects with HourglassError ENGINE_UNAVAILABLE. */
  async write(): Promise<void> {
    if (await this.store.put(this.#lease).catch(refuse)) return;
    throw new HourglassError('ENGINE_UNAVAILABLE', 'another worker of this host opens the session');
  }

  /** Notes that a call's program may run from now on; durable when this resolves. Rejects as `write` does, with WORKER_SHUTDOWN where the session is another worker's. */
  async begin(callId: string, programs: number): Promise<void> {
    const isOurs = await this.#change({ callId, programs, startedAt: undefined }).catch(refuse);
    if (!isOurs) throw new HourglassError('WORKER_SHUTDOWN', 'another worker has taken the session over');
  }

  /** Notes when the program has started. In the background: a crash may lose it, and then the guest says it. */
  started(): void {
    this.#change({ startedAt: Date.now() }).catch(() => undefined);
  }

  /** Never rejects: a record without a sandbox tells the truth. */
  async remove(): Promise<void> {
    if (this.isOurs) await this.store.remove(this.#lease).catch(() => undefined);
  }

  #change(change: Partial<SessionHold>): Promise<boolean> {
    const { session } = this.#lease;
    const next: Lease = { ...this.#lease, ...(session && { session: { ...session, ...change } }) };
    const before = this.#lease;
    this.#lease = next;
    return this.store.put(next, before);
  }
}

function refuse(error: unknown): never {
  const message = `the program cannot be started here: the session's record cannot be written: ${String(error)}`;
  throw new HourglassError('ENGINE_UNAVAILABLE', message, {}, { cause: error });
}
