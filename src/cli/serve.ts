import type { HourglassConfig } from '../config';
import { CliError, type Interrupted } from './errors';
import { EXIT } from './exit-codes';
import { listenForInterrupts, type Interrupts } from './interrupt';
import { configuredLog, startLocalWorker, type LocalWorker } from './local-worker';
import { findTemporalServer, useTemporalServer, type ServerInUse } from './temporal/use-server';
import type { Channel } from './terminal';

/** Called once everything is up. */
type OnReady = (server: ServerInUse, worker: LocalWorker) => void;

/** How `runDev` starts a server and tells about it. */
export interface DevOptions {
  readonly dbFile: string | undefined;
  readonly err: Channel;
}

const STOPPING = 'Stops; running programs may end within the grace time, a second signal ends at once';

/** Runs a worker for a server that runs already, until a signal comes; resolves with the exit code. */
export async function runWorker(config: HourglassConfig, onReady: OnReady): Promise<number> {
  const server = await findTemporalServer(config);
  const interrupts = listenForInterrupts((signal) => configuredLog(config).info({ signal }, STOPPING));
  try {
    return await serveUntilInterrupted(config, server, interrupts, onReady);
  } finally {
    interrupts.release();
  }
}

/** Runs a worker and, where none is there, a server, until a signal comes; stops all it started. */
export async function runDev(config: HourglassConfig, options: DevOptions, onReady: OnReady): Promise<number> {
  const { err, dbFile } = options;
  const interrupts = listenForInterrupts((signal) => configuredLog(config).info({ signal }, STOPPING));
  const say = (text: string): void => err.line(err.colors.dim(text));
  try {
    const server = await useTemporalServer(config, { dbFile, say, signal: interrupts.signal });
    try {
      if (dbFile !== undefined && !server.started) say(`a server runs at ${server.address} already: --db is not used`);
      return await serveUntilInterrupted(config, server, interrupts, onReady);
    } finally {
      await server.stop();
    }
  } finally {
    interrupts.release();
  }
}

async function serveUntilInterrupted(
  config: HourglassConfig,
  server: ServerInUse,
  { signal, interrupted }: Interrupts,
  onReady: OnReady,
): Promise<number> {
  const served = { ...config, temporal: { ...config.temporal, address: server.address } };
  // With a server of ours what waits for the next worker is gone, too.
  const comesBack = !server.started;
  const worker = await startLocalWorker(served, {
    ...{ log: configuredLog(config), signal, comesBack },
    keepsSessions: comesBack,
  });
  try {
    onReady(server, worker);
    return exitCodeOf(await Promise.race([interrupted, worker.ended, server.lost]));
  } finally {
    await worker.stop();
  }
}

/** An end that was asked for is a success, as supervisors see it. */
function exitCodeOf(end: Interrupted | string | void): number {
  if (typeof end === 'string') throw new CliError(end, EXIT.UNAVAILABLE);
  return EXIT.OK;
}
