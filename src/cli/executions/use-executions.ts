import type { Connection } from '@temporalio/client';
import type { HourglassConfig } from '../../config';
import { createHourglassClient, type HourglassClient } from '../../client';
import { connectTo } from '../temporal/probe';
import { SessionDirectory } from '../session/directory';
import { findTemporalServer } from '../temporal/use-server';
import { ExecutionDirectory } from './directory';

/** A server whose executions a command looks at. */
export interface Executions {
  readonly address: string;
  readonly connection: Connection;
  readonly directory: ExecutionDirectory;
  readonly sessions: SessionDirectory;
  readonly client: HourglassClient;
  /** Link of an execution into the Temporal UI; undefined where the server has none. */
  readonly urlOf: (workflowId: string, runId: string) => string | undefined;
}

/**
 * Connects to the server that runs, for as long as `work` takes.
 *
 * Rejects with CliError (69) where none answers: nothing is started here.
 */
export async function useExecutions<T>(config: HourglassConfig, work: (found: Executions) => Promise<T>): Promise<T> {
  const { address, uiUrl } = await findTemporalServer(config);
  const { namespace, taskQueue } = config.temporal;
  const connection = await connectTo(address, config.temporal);
  try {
    const client = await createHourglassClient({ connection, namespace, taskQueue, uiUrl });
    const urlOf = (workflowId: string, runId: string): string | undefined =>
      uiUrl === undefined ? undefined : client.executionUrl(workflowId, runId);
    const directory = new ExecutionDirectory(connection, namespace);
    const sessions = new SessionDirectory(connection, namespace);
    return await work({ address, connection, directory, sessions, client, urlOf });
  } finally {
    await connection.close();
  }
}
