import type { Connection } from '@temporalio/client';
import type { HourglassConfig } from '../../config';
import { SILENT } from '../../telemetry/log';
import { configuredLog, startLocalWorker, type LocalWorker } from '../local-worker';
import type { LiveOutput } from './live-output';
import { goneWorkers } from './gone-workers';
import { findPollers } from './pollers';
import type { Sighting } from './watch';

/** What `RunWorker` works with. */
export interface RunWorkerOptions {
  readonly config: HourglassConfig;
  readonly executionId: string;
  readonly connection: Connection;
  readonly live: LiveOutput;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  /** What a worker in this process is for: one run needs one slot and no stock of sandboxes. */
  readonly purpose: 'run' | 'batch' | 'session';
  /** A worker in this process polls the configured queue: sessions are found there again. Default: false. */
  readonly sharesQueue?: boolean;
  /** Whether the worker's log is shown. */
  readonly verbose: boolean;
}

// A worker that lives takes up a workflow within a moment, even when all its slots are in use.
const PATIENCE_MS = 10_000;

/** The worker of one run: one that runs elsewhere, or one in this process. */
export class RunWorker {
  /** Rejects when the worker in this process fails. */
  readonly failed: Promise<never>;
  #reject: (error: unknown) => void = () => undefined;
  #local: Promise<LocalWorker> | undefined;
  #waitingSince: number | undefined;
  #keepsSessions = true;

  constructor(readonly options: RunWorkerOptions) {
    this.failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.failed.catch(() => undefined);
  }

  /**
   * Finds a worker, or starts one here; says which. Resolves with the task queue that it polls.
   *
   * `serverIsNew`: nobody else can know that server yet.
   */
  async ensure(serverIsNew: boolean): Promise<string> {
    const { config, say, executionId, purpose, sharesQueue } = this.options;
    this.#keepsSessions = !serverIsNew;
    const identity = serverIsNew ? undefined : await this.#find();
    if (identity !== undefined) {
      say(`Worker: ${identity}, which is running`);
      return config.temporal.taskQueue;
    }
    // A queue of its own: another command must not come to rely on a worker that ends with this run.
    const own = `${config.temporal.taskQueue}-${purpose}-${executionId}`;
    const taskQueue = sharesQueue === true ? config.temporal.taskQueue : own;
    await this.#start({ ...config, temporal: { ...config.temporal, taskQueue } });
    return taskQueue;
  }

  /** Shows the output of a worker elsewhere, and steps in where it turns out to be gone. */
  async onSighting({ stage, heartbeat }: Sighting): Promise<void> {
    if (this.#local !== undefined) return;
    if (heartbeat !== undefined) this.options.live.onHeartbeat(heartbeat);
    if (stage === 'running') return void (this.#waitingSince = undefined);
    this.#waitingSince ??= Date.now();
    if (Date.now() - this.#waitingSince < PATIENCE_MS) return;
    if (stage === 'queued' && (await this.#find()) !== undefined) return;
    this.options.say('Worker: the one that was running does not answer');
    await this.#start(this.options.config).catch((error: unknown) => this.#reject(error));
  }

  /** Whether the worker is one in this process. */
  get isLocal(): boolean {
    return this.#local !== undefined;
  }

  /** Stops the worker where it is ours. */
  async stop(): Promise<void> {
    const local = await this.#local?.catch(() => undefined);
    await local?.stop();
  }

  async #find(): Promise<string | undefined> {
    const { connection, config, sharesQueue } = this.options;
    const polled = await findPollers(connection, config.temporal.namespace, config.temporal.taskQueue);
    // The one before us on this queue may have been that of the same command a moment ago.
    const gone = sharesQueue === true ? await goneWorkers(polled, config.stateDir) : new Set<string>();
    return polled.find((identity) => !gone.has(identity));
  }

  async #start(config: HourglassConfig): Promise<void> {
    const { live, say, signal, verbose, purpose } = this.options;
    say(`Worker: one in this process, for this ${purpose}`);
    const log = verbose ? configuredLog(config) : SILENT;
    this.#local = startLocalWorker(sizedFor(purpose, config), {
      log,
      signal,
      onOutput: (output) => live.onChunk(output),
      keepsSessions: this.#keepsSessions,
    });
    const { ended } = await this.#local;
    ended.catch((error: unknown) => this.#reject(error));
  }
}

/** Neither a run nor a session needs a stock of sandboxes, or takes addresses that a lasting worker listens at. */
function sizedFor(purpose: RunWorkerOptions['purpose'], config: HourglassConfig): HourglassConfig {
  if (purpose === 'batch') return config;
  return {
    ...config,
    maxConcurrentExecutions: purpose === 'run' ? 1 : config.maxConcurrentExecutions,
    pool: { ...config.pool, warmPerKey: 0, prewarm: [] },
    observe: { metricsAddress: undefined, healthAddress: undefined },
  };
}
