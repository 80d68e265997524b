import type { Connection } from '@temporalio/client';
import { createHourglassClient, type HourglassClient } from '../../client';
import type { HourglassConfig } from '../../config';
import type { Cleanup } from '../cleanup';
import type { CommandContext, GlobalOptions } from '../command';
import { CliError } from '../errors';
import { EXIT } from '../exit-codes';
import { connectTo } from '../temporal/probe';
import { useTemporalServer, type ServerInUse } from '../temporal/use-server';
import { RunWorker, type RunWorkerOptions } from './run-worker';

/** What a command that runs programs works with while it lasts. */
export interface Connected {
  readonly config: HourglassConfig;
  readonly server: ServerInUse;
  readonly connection: Connection;
  readonly worker: RunWorker;
  /** The one that the worker polls. */
  readonly taskQueue: string;
  readonly client: HourglassClient;
  /** Rejects when worker or server are gone. */
  readonly failed: Promise<never>;
}

/** What a command needs of its worker, and says where it has started a server. */
export type Needs = Pick<RunWorkerOptions, 'config' | 'purpose' | 'executionId' | 'live' | 'sharesQueue'> & {
  readonly startedServer: string;
};

type Context = CommandContext<GlobalOptions & { readonly verbose?: boolean }>;

/**
 * A server and a worker, found or started; `cleanup` ends what was started here.
 *
 * Rejects with CliError (69) where they cannot be had, or with the signal's reason.
 */
export async function connect(
  { terminal: { err }, options }: Context,
  { config: configured, startedServer, ...needs }: Needs,
  signal: AbortSignal,
  cleanup: Cleanup,
): Promise<Connected> {
  const say = (text: string): void => err.line(err.colors.dim(text));
  const server = await useTemporalServer(configured, { headless: true, say, signal });
  cleanup.add(() => server.stop());
  if (server.started) say(`Temporal: started a server${startedServer} ("hourglass dev" starts one that stays)`);
  const config = { ...configured, temporal: { ...configured.temporal, address: server.address } };
  const connection = await connectTo(server.address, config.temporal);
  cleanup.add(() => connection.close());
  const worker = new RunWorker({ ...needs, config, connection, say, signal, verbose: options.verbose === true });
  cleanup.add(() => worker.stop());
  const taskQueue = await worker.ensure(server.started);
  const { namespace } = config.temporal;
  const client = await createHourglassClient({ connection, namespace, taskQueue, uiUrl: server.uiUrl });
  const failed = Promise.race([worker.failed, lostServer(server)]);
  // Nobody may be waiting for it when it comes.
  failed.catch(() => undefined);
  return { config, server, connection, worker, taskQueue, client, failed };
}

async function lostServer({ lost }: ServerInUse): Promise<never> {
  throw new CliError(await lost, EXIT.UNAVAILABLE);
}
