import type { HourglassConfig } from '../config';
import type { OutputListener } from '../execution/progress';
import { createLog, SILENT, type Log } from '../telemetry/log';
import { installRuntime } from './temporal-runtime';

/** How a worker in this process is run. */
export interface LocalWorkerOptions {
  readonly log: Log;
  readonly onOutput?: OutputListener | undefined;
  /** Gives up the wait for engine and server. */
  readonly signal?: AbortSignal | undefined;
  /** Somebody starts it again when it has ended: only then programs may wait for the next worker. */
  readonly comesBack?: boolean;
  /** Sessions may wait for the next worker, as the configuration has it; else they end with this one. Default: false. */
  readonly keepsSessions?: boolean;
}

/** A worker in this process, polling. */
export interface LocalWorker {
  readonly taskQueue: string;
  readonly identity: string;
  /** Resolves when the worker was stopped, rejects when it fails. */
  readonly ended: Promise<void>;
  /** Takes no new work, waits for what runs, and closes everything. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts a worker in this process. `config.temporal.address` names the server.
 *
 * Sets up engine and image where they are missing. Rejects where they, or the server, cannot be had.
 */
export async function startLocalWorker(config: HourglassConfig, options: LocalWorkerOptions): Promise<LocalWorker> {
  const [{ prepareSandboxes }, { createWorker }] = await Promise.all([
    import('./prepare.js'),
    import('../worker.js'),
    installRuntime(options.log, config),
  ]);
  const prepared = await prepareSandboxes(config);
  const detachOnShutdown = config.detachOnShutdown && options.comesBack === true;
  const sessions =
    options.keepsSessions === true ? config.sessions : { ...config.sessions, onShutdown: 'close' as const };
  const worker = await createWorker({ ...prepared, detachOnShutdown, sessions }, options);
  const ended = worker.run();
  // Whoever waits for it hears of a failure; until then it must not count as unhandled.
  ended.catch(() => undefined);
  return {
    taskQueue: worker.taskQueue,
    identity: worker.identity,
    ended,
    stop: async () => {
      worker.shutdown();
      await ended;
    },
  };
}

/** The log that the configuration asks for, on stderr. */
export function configuredLog({ log }: HourglassConfig): Log {
  return log.level === 'silent' ? SILENT : createLog(log);
}
