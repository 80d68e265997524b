import { createHourglassClient, type HourglassClient } from '../../client';
import type { HourglassConfig } from '../../config';
import type { Cleanup } from '../cleanup';
import { CliError } from '../errors';
import { EXIT } from '../exit-codes';
import { configuredLog, startLocalWorker } from '../local-worker';
import { useTemporalServer, type ServerInUse } from '../temporal/use-server';

/** What the demo runs on. */
export interface DemoStack {
  readonly server: ServerInUse;
  readonly client: HourglassClient;
  /** Rejects when server or worker end before the demo does. */
  readonly failed: Promise<never>;
}

/** Finds or starts a server, starts a worker in this process, and connects; `cleanup` learns how to stop them. */
export async function startDemoStack(
  configured: HourglassConfig,
  cleanup: Cleanup,
  options: { readonly signal: AbortSignal; readonly say: (text: string) => void },
): Promise<DemoStack> {
  const server = await useTemporalServer(configured, options);
  cleanup.add(() => server.stop());
  options.say(`Temporal  ${server.address}, ${server.started ? 'started for the demo' : 'which was running'}`);
  // A queue of its own: every program of the demo runs on the worker of the demo.
  const taskQueue = `${configured.temporal.taskQueue}-demo-${process.pid}`;
  const temporal = { ...configured.temporal, address: server.address, taskQueue };
  const log = configuredLog({ ...configured, log: { ...configured.log, level: 'error' } });
  const worker = await startLocalWorker({ ...configured, temporal }, { log, signal: options.signal });
  cleanup.add(() => worker.stop());
  options.say(`Worker    ${worker.identity}, in this process`);
  const client = await createHourglassClient({ ...temporal, tls: temporal.tls || undefined, uiUrl: server.uiUrl });
  cleanup.add(() => client.close());
  return { server, client, failed: Promise.race([worker.ended.then(unexpected), server.lost.then(unexpected)]) };
}

function unexpected(reason: string | void): never {
  throw new CliError(reason ?? 'the worker ended before the demo', EXIT.UNAVAILABLE);
}
