import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { ensureTemporalCli } from '../../infra/setup/temporal/index.js';
import { FAIR_MATCHING } from '../../src/cli/server';
import { freePort } from '../../src/cli/temporal/ports';

const START_MS = 60_000;

/** A Temporal server for the tests of one file. */
export interface TestServer {
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * The server that TEMPORAL_ADDRESS names, else a development server in memory that lives until `stop`, with these settings
 * of its dynamic configuration (`key=value`).
 */
export async function startTemporal(settings: readonly string[] = []): Promise<TestServer> {
  const server = await ensureTemporalCli();
  if ('address' in server) return { address: server.address, stop: () => Promise.resolve() };
  const [port, uiPort] = [await freePort(), await freePort()];
  const dynamic = [...FAIR_MATCHING, ...settings].flatMap((setting) => ['--dynamic-config-value', setting]);
  const args = ['--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort), '--headless', ...dynamic];
  const child = spawn(server.path, ['server', 'start-dev', ...args, '--log-level', 'error'], { stdio: 'ignore' });
  const address = `127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  try {
    await answering(address);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, stop };
}

/** Resolves when the server answers for its namespace; rejects after a minute. */
export async function answering(address: string): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 1_000 });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      return await connection.close();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(100);
    }
  }
}
