import { NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import { isOpen, isSessionOpen } from '../activities/is-awaited';
import type { HourglassConfig } from './config';
import type { SessionKey } from './contract';
import { Health } from './health/health';
import { openHealthServer, type HealthServer } from './health/server';
import { watchReachability } from './leases/reachability';
import { watchUnawaited } from './leases/unawaited';
import { retry } from './retry';
import { keptFilesOf } from './sessions/file-keeper';
import { watchDrain } from './sessions/give-notice';
import { takeSession } from './sessions/take-session';
import { watchSessions, type SessionRun } from './sessions/watch-sessions';
import { CLEANUP_MS, createTemporalWorkers, type WorkerTuning } from './temporal-workers';
import { sessionTeller } from './tell-session';
import { instrumentsOf, sampleBacklog, type Instruments } from './telemetry/metrics';
import { openWorkerHost, type WorkerHost, type WorkerHostOptions } from './worker-host';

const PING_MS = 10_000;
const DEFAULT_ADDRESS = 'localhost:7233';

/** A worker process's one worker. */
export interface HourglassWorker {
  readonly taskQueue: string;
  readonly identity: string;
  /**
   * Polls until `shutdown` was called and everything has ended, then closes all that was opened.
   *
   * Rejects when the worker fails; everything is closed then, too. May be called once.
   */
  run(): Promise<void>;
  /** Takes no new work: what runs may end within the grace time, the rest is handed back. Idempotent. */
  shutdown(): void;
}

export interface CreateWorkerOptions extends WorkerHostOptions, WorkerTuning {}

/**
 * The composition root: opens the host and connects to Temporal; `run` begins to poll.
 *
 * Answers probes from its beginning, where `observe.healthAddress` says so. Measures where Temporal's runtime of this process
 * has a metrics exporter. Rejects where engine or server do not answer for half a minute, or where the address for probes
 * cannot be had; nothing is left open then.
 */
export async function createWorker(config: HourglassConfig, options: CreateWorkerOptions): Promise<HourglassWorker> {
  const health = new Health();
  const probes = await openHealthServer(config.observe.healthAddress, health, options.log);
  try {
    return await openWorker(config, options, { health, probes });
  } catch (error) {
    await probes?.close();
    throw error;
  }
}

/** What tells of a worker from outside. */
interface Watching {
  readonly health: Health;
  readonly probes: HealthServer | undefined;
}

async function openWorker(
  config: HourglassConfig,
  options: CreateWorkerOptions,
  { health, probes }: Watching,
): Promise<HourglassWorker> {
  const instruments = instrumentsOf(Runtime.instance().metricMeter);
  const host = await openWorkerHost(config, { ...options, instruments });
  health.addDrain(() => host.drain.mark !== undefined);
  health.addPing('engine', (signal) => host.engine.ping(signal));
  try {
    const connection = await connect(config, options);
    health.addPing('temporal', (signal) => pingServer(connection, signal));
    const workers = await createTemporalWorkers(config, host, connection, options).catch(async (error: unknown) => {
      await connection.close();
      throw error;
    });
    for (const worker of workers) health.addWorker(worker.options.taskQueue, () => worker.getState());
    return new RunningWorker({ workers, host, connection, probes, instruments, config });
  } catch (error) {
    await host.close(0);
    throw error;
  }
}

function connect({ temporal }: HourglassConfig, { log, signal }: CreateWorkerOptions): Promise<NativeConnection> {
  const { address = DEFAULT_ADDRESS, apiKey } = temporal;
  const tls = temporal.tls || undefined;
  return retry(() => NativeConnection.connect({ address, apiKey, tls }), { what: 'The Temporal server', log, signal });
}

interface WorkerParts {
  /** The one of the common task queue first. */
  readonly workers: readonly Worker[];
  readonly host: WorkerHost;
  readonly connection: NativeConnection;
  readonly probes: HealthServer | undefined;
  readonly instruments: Instruments | undefined;
  readonly config: HourglassConfig;
}

class RunningWorker implements HourglassWorker {
  readonly taskQueue: string;
  readonly identity: string;
  #stopping = false;

  constructor(private readonly parts: WorkerParts) {
    this.taskQueue = parts.config.temporal.taskQueue;
    this.identity = parts.workers[0]?.options.identity ?? '';
  }

  async run(): Promise<void> {
    const { workers, host, connection, probes } = this.parts;
    const stopSampling = this.#sampleBacklog();
    const stopEnding = this.#watchUnawaited();
    const stopClosing = this.#watchSessions();
    const stopTelling = this.#watchDrain();
    const stopChecking = watchReachability(host.reachability, () => pingServer(connection));
    try {
      host.log.info({ taskQueue: this.taskQueue, identity: this.identity }, 'Worker started');
      const ends = await Promise.allSettled(workers.map((worker) => this.#run(worker)));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    } finally {
      stopSampling?.();
      stopEnding();
      stopClosing();
      stopTelling();
      stopChecking();
      await host.close(CLEANUP_MS);
      await connection.close();
      await probes?.close();
      host.log.info({ identity: this.identity }, 'Worker stopped');
    }
  }

  shutdown(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    for (const worker of this.parts.workers) stop(worker);
  }

  /** One that ends takes the others along: half a worker serves nobody. */
  async #run(worker: Worker): Promise<void> {
    const running = worker.run();
    if (this.#stopping) worker.shutdown();
    try {
      await running;
    } finally {
      this.shutdown();
    }
  }

  #watchUnawaited(): () => void {
    const { connection, host, config } = this.parts;
    const { engine: directory, leases: store, log } = host;
    const { namespace } = config.temporal;
    const { workerId } = host.owner;
    return watchUnawaited({ store, workerId, directory, isOpen: (run) => isOpen(connection, namespace, run), log });
  }

  #watchSessions(): () => void {
    const { connection, host, config } = this.parts;
    const { engine: directory, leases: store, sessions, log } = host;
    const { namespace } = config.temporal;
    const isOpen = (run: SessionRun): Promise<boolean> => isSessionOpen(connection, namespace, run);
    const take = (key: SessionKey): Promise<unknown> =>
      sessions.find(key, () => takeSession(key, host, { signal: host.closing, log }));
    const forgetFiles = async (key: SessionKey): Promise<void> => (await keptFilesOf(host.workspaces, key)).remove();
    const how = { take, isOpen, forgetFiles };
    return watchSessions({ sessions, store, workerId: host.owner.workerId, directory, ...how, log });
  }

  #watchDrain(): () => void {
    const { connection, host, config } = this.parts;
    const { drain, leases: store, log } = host;
    if (drain.mark !== undefined) {
      log.warn({ since: drain.mark.since }, 'This host is drained and takes no new work ("hourglass drain --undo")');
    }
    const tell = sessionTeller(connection, config.temporal.namespace, host.owner.hostId);
    return watchDrain({ drain, store, workerId: host.owner.workerId, tell, log });
  }

  #sampleBacklog(): (() => void) | undefined {
    const { instruments, connection, host, config } = this.parts;
    const { namespace, taskQueue } = config.temporal;
    return instruments && sampleBacklog(instruments, { connection, namespace, taskQueue, log: host.log });
  }
}

/** Rejects where the server does not answer, at the latest when the signal aborts. */
function pingServer(connection: NativeConnection, signal = AbortSignal.timeout(PING_MS)): Promise<unknown> {
  return connection.withAbortSignal(signal, () => connection.workflowService.getSystemInfo({}));
}

/** Before `run` there is nothing to stop yet, after its end nothing is left to stop. */
function stop(worker: Worker): void {
  if (worker.getState() === 'RUNNING') worker.shutdown();
}
