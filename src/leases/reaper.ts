import type { Log } from '../telemetry/log';
import type { ListedContainer } from '../engine/container/labels';
import { judge, type HostFacts, type Reason } from './judge';
import type { Lease, LeaseStore, WorkerRecord } from './lease-store';
import { isLiving } from './liveness';

const SWEEP_MS = 2 * 60_000;
/** Removals at the same time: an engine takes them one after the other anyway. */
const PARALLEL_REMOVALS = 4;

/** The containers of an engine, as far as the reaper needs them. */
export interface ContainerDirectory {
  /** Every container with a label of ours, running or not. */
  listContainers(): Promise<readonly ListedContainer[]>;
  /** Kills and removes; one that is gone is fine. */
  removeContainer(containerId: string): Promise<void>;
}

export interface ReaperOptions {
  readonly directory: ContainerDirectory;
  readonly store: LeaseStore;
  readonly workerId: string;
  /** Whether this process itself answers for a container. */
  readonly holds: (containerId: string) => boolean;
  readonly log: Log;
}

/** A container that was removed, and why. */
export interface Reaped {
  readonly containerId: string;
  readonly name: string;
  readonly reason: Reason;
}

/** Removes what crashed workers left behind, and says that this worker lives. */
export class Reaper {
  readonly #options: ReaperOptions;
  readonly #startedAt = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<Reaped[]> | undefined;

  constructor(options: ReaperOptions) {
    this.#options = options;
  }

  /**
   * Says that this worker lives and sweeps, now and every few minutes from then on. Never rejects.
   *
   * Requires: this worker has made no container yet. Others take those of a worker that is not known to live.
   */
  async start(): Promise<readonly Reaped[]> {
    this.#timer = setInterval(() => void this.#sweepSafely(), SWEEP_MS).unref();
    return this.#sweepSafely();
  }

  /** Stops, and takes this worker off the list of the living. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running?.catch(() => undefined);
    await this.#options.store.removeWorker(this.#options.workerId);
  }

  /** One sweep; sweeps that are asked for meanwhile share it. Rejects where engine or store do not answer. */
  sweep(): Promise<Reaped[]> {
    this.#running ??= this.#sweep().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #sweepSafely(): Promise<readonly Reaped[]> {
    try {
      return await this.sweep();
    } catch (error) {
      this.#options.log.warn({ error }, 'a sweep for left over sandboxes failed; the next one is due in minutes');
      return [];
    }
  }

  async #sweep(): Promise<Reaped[]> {
    const { directory, store } = this.#options;
    await this.#sayAlive();
    const containers = await directory.listContainers();
    // Read after the list: what began to live since then is not in it.
    const facts = this.#facts();
    const now = Date.now();
    const condemned = containers
      .map((container) => ({ container, verdict: judge(container, facts, now) }))
      .filter(({ verdict }) => verdict.remove);
    const reaped: Reaped[] = [];
    await eachOf(condemned, PARALLEL_REMOVALS, async ({ container, verdict }) => {
      if (await this.#remove(container, verdict.reason)) reaped.push(describe(container, verdict.reason));
    });
    await this.#forgetEndedLeases(new Set(containers.map(({ id }) => id)), facts, now);
    await Promise.all(store.workers().map((worker) => this.#forgetDead(worker, facts)));
    return reaped;
  }

  async #sayAlive(): Promise<void> {
    const { store, workerId } = this.#options;
    const { hostId } = store;
    await store.putWorker({ v: 1, workerId, hostId, pid: process.pid, startedAt: this.#startedAt, seenAt: Date.now() });
  }

  #facts(): HostFacts {
    const { store, workerId, holds } = this.#options;
    const now = Date.now();
    const living = store.workers().filter((worker) => isLiving(worker, now));
    return {
      hostId: store.hostId,
      workerId,
      living: new Set(living.map((worker) => worker.workerId)),
      leases: new Map(store.all().map((lease) => [lease.containerId, lease])),
      holds,
    };
  }

  async #remove({ id, name }: ListedContainer, reason: Reason): Promise<boolean> {
    const { directory, log } = this.#options;
    try {
      await directory.removeContainer(id);
      log.info({ sandbox: name, reason }, 'a left over sandbox was removed');
      return true;
    } catch (error) {
      log.warn(
        { sandbox: name, reason, error },
        'a left over sandbox could not be removed; the next sweep tries again',
      );
      return false;
    }
  }

  /** Leases of dead workers that have ended and whose containers are gone stand for nothing any more. */
  async #forgetEndedLeases(remaining: ReadonlySet<string>, facts: HostFacts, now: number): Promise<void> {
    const ended = [...facts.leases.values()]
      .filter(({ workerId }) => workerId !== facts.workerId && !facts.living.has(workerId))
      .filter(({ containerId, expiresAt }) => expiresAt <= now && !remaining.has(containerId));
    await eachOf(ended, PARALLEL_REMOVALS, (lease: Lease) => this.#options.store.remove(lease));
  }

  async #forgetDead(worker: WorkerRecord, { living, workerId }: HostFacts): Promise<void> {
    if (worker.workerId === workerId || living.has(worker.workerId)) return;
    await this.#options.store.removeWorker(worker.workerId);
  }
}

/** Runs a task for each item, at most `limit` at the same time. */
async function eachOf<T>(items: readonly T[], limit: number, task: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items].reverse();
  const lane = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) await task(next);
  };
  await Promise.all(Array.from({ length: limit }, lane));
}

function describe({ id, name }: ListedContainer, reason: Reason): Reaped {
  return { containerId: id, name, reason };
}
