import { nowSince } from '../clock';
import type { Lease, LeasePhase } from '../leases/lease-store';
import { isOfAttempt } from '../leases/of-attempt';
import type { LeasedSandbox } from '../pool';
import { LeaveRunning } from '../runner';
import type { Attempt, ExecutionHost } from './host';
import type { ReleaseMemory } from './memory-gate';
import { refuseStart } from './refuse-start';

/** Steps of a short program, written a moment later, cost no write of their own: its result takes the record's place; in ms. */
export const LATER_MS = 50;

/** The exclusive use of one sandbox by one execution, with its record in the host's store. */
export interface SandboxLease extends LeasedSandbox {
  /** Whether START was sent, or is about to be. */
  readonly mayHaveRun: boolean;
  /** Whether the record in the store is still that of this attempt. */
  readonly isOurs: boolean;
  /** Notes that the program may run from now on; durable when this resolves. Rejects with HourglassError ENGINE_UNAVAILABLE where that cannot be written, with LeaveRunning where another attempt has the execution. */
  begin(): Promise<void>;
  /** Notes how far the execution is. Written in the background: a crash may lose the latest step, never the record. */
  advance(phase: LeasePhase): void;
  /**
   * Ends the lease: the sandbox is destroyed, or kept for its tenant where the request allows it; its record goes, its
   * memory is given back. Requires: the program has ended. Never rejects; what is left is for the reaper.
   */
  end(): Promise<void>;
  /** Ends the lease and destroys the sandbox, whatever it does. Never rejects. */
  destroy(): Promise<void>;
  /** Lets go of the sandbox, whose program goes on under its record until the next attempt. Never rejects. */
  detach(): Promise<void>;
}

/** What a lease is made of beside the sandbox. */
export interface LeaseParts {
  readonly host: ExecutionHost;
  readonly lease: Lease;
  readonly attempt: Attempt;
  readonly releaseMemory: ReleaseMemory;
}

/** The lease of a sandbox, whose record is written in the background: durable it has to be when the program begins. */
export function holdSandbox(leased: LeasedSandbox, parts: LeaseParts): SandboxLease {
  return new HeldSandbox(leased, parts);
}

class HeldSandbox implements SandboxLease {
  readonly sandbox: LeasedSandbox['sandbox'];
  readonly channel: LeasedSandbox['channel'];
  readonly startKind: LeasedSandbox['startKind'];
  readonly #parts: LeaseParts;
  #lease: Lease;
  /** Writes of one record follow each other, so that the last phase is the one that stays. */
  #writes: Promise<unknown> = Promise.resolve();
  #later: NodeJS.Timeout | undefined;

  constructor({ sandbox, channel, startKind }: LeasedSandbox, parts: LeaseParts) {
    this.sandbox = sandbox;
    this.channel = channel;
    this.startKind = startKind;
    this.#parts = parts;
    this.#lease = parts.lease;
    // Asked for at once: `begin` relies on its being asked for earlier.
    const written = parts.host.leases.put(parts.lease);
    this.#follow(() => written);
  }

  get mayHaveRun(): boolean {
    return this.#lease.phase !== 'leased';
  }

  get isOurs(): boolean {
    const record = this.#parts.host.leases.get(this.#lease);
    return record !== undefined && isOfAttempt(record, this.#lease);
  }

  /** Does not wait for the record of before: the store commits in the order in which it is asked. */
  async begin(): Promise<void> {
    const lease: Lease = { ...this.#lease, phase: 'staged' };
    const isOurs = await this.#parts.host.leases.put(lease, this.#lease).catch(refuseStart);
    if (!isOurs) throw new LeaveRunning('another attempt has begun');
    this.#lease = lease;
  }

  advance(phase: LeasePhase): void {
    const { resumption, clock } = this.#lease;
    const startedAt = phase === 'started' ? (resumption?.startedAt ?? nowSince(clock)) : resumption?.startedAt;
    this.#lease = { ...this.#lease, phase, ...(resumption && { resumption: { ...resumption, startedAt } }) };
    this.#later ??= setTimeout(() => this.#write(), LATER_MS);
  }

  #write(): void {
    const lease = this.#lease;
    this.#writeNothingLater();
    this.#follow(() => this.#parts.host.leases.put(lease, lease));
  }

  #writeNothingLater(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
  }

  end(): Promise<void> {
    return this.#over(this.#parts.host.pool.recycle(this.sandbox));
  }

  destroy(): Promise<void> {
    return this.#over(this.#parts.host.pool.release(this.sandbox));
  }

  async detach(): Promise<void> {
    this.#parts.host.pool.detach(this.sandbox);
    this.#parts.releaseMemory();
    if (this.#later !== undefined) this.#write();
    await this.#writes;
  }

  async #over(gone: Promise<void>): Promise<void> {
    this.#writeNothingLater();
    await gone;
    this.#parts.releaseMemory();
    this.#follow(() => this.#forget());
    await this.#writes;
  }

  #follow(write: () => Promise<unknown>): void {
    this.#writes = this.#writes.then(write).catch((error: unknown) => {
      this.#parts.attempt.log.warn({ error, sandbox: this.sandbox.name }, 'A lease record could not be written');
    });
  }

  /** A later attempt of the same execution may have written its own record meanwhile: that one stays. */
  async #forget(): Promise<void> {
    if (this.isOurs) await this.#parts.host.leases.remove(this.#lease);
  }
}
