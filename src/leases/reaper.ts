import { moment } from '../clock';
import type { Log } from '../telemetry/log';
import type { LeaseStore, WorkerRecord } from './lease-store';
import { livingWorkers } from './liveness';
import type { Reachability } from './reachability';
import { findLeftOvers, removeLeftOvers, type ContainerDirectory, type JudgedContainer } from './left-overs';

const SWEEP_MS = 2 * 60_000;
/** A worker that lives has told Temporal of a result, or Temporal has asked again, long before this; as long as Temporal can be reached. */
const TOLD_MS = 10 * 60_000;
/** All results together, in characters: those of the last moments are the ones that somebody may still ask for. */
const MOST_RESULTS = 256 * 1024 * 1024;
/** What a worker that died had to tell, the next attempt asks for. */
const UNTOLD_MS = 24 * 3_600_000;

export interface ReaperOptions {
  readonly directory: ContainerDirectory;
  readonly store: LeaseStore;
  readonly workerId: string;
  /** Image of this worker's sandboxes, which others leave alone as long as it lives. */
  readonly image?: string;
  /** What this worker holds at most, for those who ask how the host is. */
  readonly capacity?: Pick<WorkerRecord, 'slots' | 'sessions'>;
  /** Whether this process itself answers for a container. */
  readonly holds: (containerId: string) => boolean;
  /** Of the server that is told of results. */
  readonly reachability: Reachability;
  readonly log: Log;
}

/** Removes what crashed workers left behind, and says that this worker lives. */
export class Reaper {
  readonly #options: ReaperOptions;
  readonly #startedAt = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<JudgedContainer[]> | undefined;

  constructor(options: ReaperOptions) {
    this.#options = options;
  }

  /**
   * Says that this worker lives and sweeps, now and every few minutes from then on. Never rejects.
   *
   * Requires: this worker has made no container yet. Others take those of a worker that is not known to live.
   */
  async start(): Promise<readonly JudgedContainer[]> {
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
  sweep(): Promise<JudgedContainer[]> {
    this.#running ??= this.#sweep().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #sweepSafely(): Promise<readonly JudgedContainer[]> {
    try {
      return await this.sweep();
    } catch (error) {
      this.#options.log.warn({ error }, 'a sweep for left over sandboxes failed; the next one is due in minutes');
      return [];
    }
  }

  async #sweep(): Promise<JudgedContainer[]> {
    const { directory, store, workerId, holds, log } = this.#options;
    await this.#sayAlive();
    await this.#forgetResults();
    const found = await findLeftOvers(directory, store, { workerId, holds });
    const unremoved = await removeLeftOvers(found, directory, store);
    for (const { name, reason, error } of unremoved) {
      const message = 'a left over sandbox could not be removed; the next sweep tries again';
      log.warn({ sandbox: name, reason, error }, message);
    }
    const remaining = new Set(unremoved.map(({ containerId }) => containerId));
    const reaped = found.containers.filter(({ containerId }) => !remaining.has(containerId));
    for (const { name, reason } of reaped) log.info({ sandbox: name, reason }, 'a left over sandbox was removed');
    return reaped;
  }

  async #forgetResults(): Promise<void> {
    const { store, reachability } = this.#options;
    const now = Date.now();
    const isSteady = now - reachability.since(now) >= TOLD_MS;
    const living = livingWorkers(store, now);
    living.add(this.#options.workerId);
    let size = 0;
    await store.pruneResults((facts) => {
      size += facts.size;
      const isTold = isSteady && living.has(facts.workerId);
      const isOld = now - facts.savedAt >= (isTold ? TOLD_MS : UNTOLD_MS);
      return !isOld && size <= MOST_RESULTS;
    });
  }

  async #sayAlive(): Promise<void> {
    const { store, workerId, image, capacity } = this.#options;
    const { hostId } = store;
    const clock = moment();
    const times = { startedAt: this.#startedAt, seenAt: clock.wallMs, clock };
    await store.putWorker({ v: 1, workerId, hostId, pid: process.pid, ...times, image, ...capacity });
  }
}
