import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createActivities } from '../activities';
import type { HourglassConfig } from './config';
import { packageRoot } from './package-root';
import { retry } from './retry';
import { openWorkerHost, type WorkerHost, type WorkerHostOptions } from './worker-host';

/** Time for sandboxes to be removed after the last execution was told to end, in ms. */
const CLEANUP_MS = 30_000;
const WORKFLOW_SLOTS = 40;
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

export interface CreateWorkerOptions extends WorkerHostOptions {
  /** Workflows kept in memory between their tasks; 0: every task replays its history. Default: by the SDK. */
  readonly maxCachedWorkflows?: number;
}

/**
 * The composition root: opens the host and connects to Temporal; `run` begins to poll.
 *
 * Rejects where engine or server do not answer for half a minute; nothing is left open then.
 */
export async function createWorker(config: HourglassConfig, options: CreateWorkerOptions): Promise<HourglassWorker> {
  const host = await openWorkerHost(config, options);
  try {
    const connection = await connect(config, options);
    const worker = await createTemporalWorker(config, host, connection, options).catch(async (error: unknown) => {
      await connection.close();
      throw error;
    });
    return new RunningWorker(worker, host, connection, config);
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

function createTemporalWorker(
  config: HourglassConfig,
  host: WorkerHost,
  connection: NativeConnection,
  { maxCachedWorkflows }: CreateWorkerOptions,
): Promise<Worker> {
  const heartbeat = config.heartbeatIntervalMs;
  return Worker.create({
    connection,
    namespace: config.temporal.namespace,
    taskQueue: config.temporal.taskQueue,
    identity: `hourglass@${host.owner.hostId}#${process.pid}`,
    activities: createActivities(host),
    ...workflowSource(),
    tuner: {
      // A worker polls only what it can hold sandboxes for; what waits, waits in Temporal.
      activityTaskSlotSupplier: { type: 'fixed-size', numSlots: config.maxConcurrentExecutions },
      workflowTaskSlotSupplier: { type: 'fixed-size', numSlots: WORKFLOW_SLOTS },
      localActivityTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
      nexusTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
    },
    // The server answers a heartbeat with cancel: throttled, a cancel would be late by as much.
    maxHeartbeatThrottleInterval: heartbeat,
    defaultHeartbeatThrottleInterval: heartbeat,
    ...(maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows }),
    shutdownGraceTime: config.shutdownGraceMs,
    shutdownForceTime: config.shutdownGraceMs + CLEANUP_MS,
  });
}

/** The bundle that the build made where it is there, else the sources, bundled now. */
function workflowSource(): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  const codePath = join(packageRoot(), 'lib', 'workflow-bundle.js');
  if (__filename.endsWith('.js') && existsSync(codePath)) return { workflowBundle: { codePath } };
  return { workflowsPath: require.resolve('../workflows') };
}

class RunningWorker implements HourglassWorker {
  readonly taskQueue: string;
  readonly identity: string;
  #stopping = false;

  constructor(
    private readonly worker: Worker,
    private readonly host: WorkerHost,
    private readonly connection: NativeConnection,
    config: HourglassConfig,
  ) {
    this.taskQueue = config.temporal.taskQueue;
    this.identity = worker.options.identity ?? '';
  }

  async run(): Promise<void> {
    try {
      this.host.log.info({ taskQueue: this.taskQueue, identity: this.identity }, 'Worker started');
      const running = this.worker.run();
      if (this.#stopping) this.worker.shutdown();
      await running;
    } finally {
      await this.host.close(CLEANUP_MS);
      await this.connection.close();
      this.host.log.info({ identity: this.identity }, 'Worker stopped');
    }
  }

  shutdown(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    // Before `run` there is nothing to stop yet, after its end nothing is left to stop.
    if (this.worker.getState() === 'RUNNING') this.worker.shutdown();
  }
}
