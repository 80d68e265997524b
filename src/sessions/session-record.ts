import { nowSince } from '../clock';
import { HourglassError, type Restored, type SessionKey } from '../contract';
import { refuseStart } from '../execution/refuse-start';
import { LATER_MS } from '../execution/sandbox-lease';
import type { ExecutionKey, Lease, LeasePhase, LeaseStore, SessionHold } from '../leases/lease-store';
import { isOfAttempt } from '../leases/of-attempt';

/** Under what a host remembers a session: no execution has such an origin. */
export function leaseKey({ workspaceId, userId, sessionId, firstRunId, generation }: SessionKey): ExecutionKey {
  return { tenant: { workspaceId, userId }, executionId: sessionId, origin: `session ${firstRunId} ${generation}` };
}

/** The session that a lease is of; undefined for one of an execution. */
export function keyOf({ tenant, session }: Lease): SessionKey | undefined {
  if (session === undefined) return undefined;
  const { sessionId, firstRunId, generation } = session;
  return { ...tenant, sessionId, firstRunId, generation };
}

/** The record of one session in the host's store, by which its next owner finds the sandbox and what it was doing. */
export class SessionRecord {
  #lease: Lease;
  #later: NodeJS.Timeout | undefined;

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
    if (await this.store.put(this.#lease).catch(refuseStart)) return;
    throw new HourglassError('ENGINE_UNAVAILABLE', 'another worker of this host opens the session');
  }

  /** Notes that a call's program may run from now on; durable when this resolves. Rejects as `write` does, with WORKER_SHUTDOWN where the session is another worker's. */
  async begin(callId: string, programs: number): Promise<void> {
    const isOurs = await this.#change({ callId, programs, startedAt: undefined }).catch(refuseStart);
    if (!isOurs) throw new HourglassError('WORKER_SHUTDOWN', 'another worker has taken the session over');
  }

  /** Notes when the program has started. Written in the background: a crash may lose it, and then the guest says it. */
  advance(phase: LeasePhase): void {
    if (phase !== 'started') return this.#writeNothingLater();
    this.#note({ startedAt: nowSince(this.#lease.clock) });
    this.#later ??= setTimeout(() => void this.#write().catch(() => undefined), LATER_MS);
  }

  /** Notes which files the sandbox was given. Rejects as `begin` does. */
  async noteRestored(restored: Restored): Promise<void> {
    if (await this.#change({ restored }).catch(refuseStart)) return;
    throw new HourglassError('WORKER_SHUTDOWN', 'another worker has taken the session over');
  }

  /** Never rejects: a record without a sandbox tells the truth. */
  async remove(): Promise<void> {
    this.#writeNothingLater();
    if (this.isOurs) await this.store.remove(this.#lease).catch(() => undefined);
  }

  #change(change: Partial<SessionHold>): Promise<boolean> {
    this.#note(change);
    return this.#write();
  }

  #note(change: Partial<SessionHold>): void {
    const { session } = this.#lease;
    this.#lease = { ...this.#lease, ...(session && { session: { ...session, ...change } }) };
  }

  #write(): Promise<boolean> {
    this.#writeNothingLater();
    return this.store.put(this.#lease, this.#lease);
  }

  #writeNothingLater(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
  }
}
