import type { Connection } from '@temporalio/client';
import { createHourglassClient, type HourglassClient } from '../../client';
import type { HourglassConfig } from '../../config';
import type { SessionOptions } from '../../contract';
import type { Cleanup } from '../cleanup';
import type { CommandContext } from '../command';
import { CliError } from '../errors';
import { EXIT } from '../exit-codes';
import { RunWorker } from '../run/run-worker';
import { connectTo } from '../temporal/probe';
import { useTemporalServer, type ServerInUse } from '../temporal/use-server';
import type { CurrentOutput } from './current-output';
import { SessionDirectory } from './directory';
import type { SessionCommandOptions } from './options';

/** What a session command works with while it lasts. */
export interface Connected {
  readonly config: HourglassConfig;
  readonly server: ServerInUse;
  readonly connection: Connection;
  readonly client: HourglassClient;
  readonly worker: RunWorker;
  readonly directory: SessionDirectory;
  /** Rejects when worker or server are gone. */
  readonly failed: Promise<never>;
}

/**
 * A server and a worker, found or started; `cleanup` ends what was started here.
 *
 * Rejects with CliError (69) where they cannot be had, or with the signal's reason.
 */
export async function connectSession(
  { terminal, options, loadConfig }: CommandContext<SessionCommandOptions>,
  { sessionId }: Pick<SessionOptions, 'sessionId'>,
  live: CurrentOutput,
  signal: AbortSignal,
  cleanup: Cleanup,
): Promise<Connected> {
  const say = (text: string): void => terminal.err.line(terminal.err.colors.dim(text));
  const configured = await loadConfig();
  const server = await useTemporalServer(configured, { headless: true, say, signal });
  cleanup.add(() => server.stop());
  if (server.started)
    say('Temporal: started a server, and the session ends with this command ("hourglass dev" starts one that stays)');
  const config = { ...configured, temporal: { ...configured.temporal, address: server.address } };
  const connection = await connectTo(server.address, config.temporal);
  cleanup.add(() => connection.close());
  const worker = new RunWorker({
    ...{ config, connection, live, say, signal, purpose: 'session', sharesQueue: true },
    executionId: sessionId,
    verbose: options.verbose === true,
  });
  cleanup.add(() => worker.stop());
  const taskQueue = await worker.ensure(server.started);
  const { namespace } = config.temporal;
  const client = await createHourglassClient({ connection, namespace, taskQueue, uiUrl: server.uiUrl });
  const failed = Promise.race([worker.failed, lostServer(server)]);
  failed.catch(() => undefined);
  return { config, server, connection, client, worker, directory: new SessionDirectory(connection, namespace), failed };
}

async function lostServer({ lost }: ServerInUse): Promise<never> {
  throw new CliError(await lost, EXIT.UNAVAILABLE);
}
