import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { loadConfig } from '../../../src/config';
import { createHourglassClient } from '../../../src/client';
import { createContainerEngine } from '../../../src/engine/container';
import { SILENT } from '../../../src/telemetry/log';
import { RestartableServer } from '../../support/restartable-server';
import { leftOvers } from './left-overs';
import { StartObserver } from '../../support/start-observer';
import { Host } from './world';

const RESTARTS = 20;
const SECONDS = Number(process.argv[2] ?? 600);
const TIMEOUT_MS = 1_000 * SECONDS + 300_000;
/** Says which start this is, then counts the seconds. */
const CODE = `
import secrets, time
token = secrets.token_hex(8)
open(f"run-{name}-{token}", "w").close()
print(token, flush=True)
for second in range(seconds):
    time.sleep(1)
    print(second)
result = token
`;

/* eslint-disable no-console -- a command line of its own */

/** Restarts the worker over and over, by each way in turn. */
async function restartOften(host: Host, shouldGoOn: () => boolean): Promise<number> {
  const begin = Date.now();
  let restarts = 0;
  while (restarts < RESTARTS && shouldGoOn()) {
    // By the clock: a restart takes its time, too.
    const due = begin + ((restarts + 1) * SECONDS * 1_000) / (RESTARTS + 2);
    await delay(Math.max(0, due - Date.now()));
    const signal = restarts % 2 === 0 ? 'SIGKILL' : 'SIGTERM';
    host.signal(signal);
    await host.end();
    await host.start();
    restarts += 1;
    console.log(`restart ${restarts} of ${RESTARTS} after ${signal}`);
  }
  return restarts;
}

/** One program through many workers: it has to run once, to its end, and nothing that it prints may be missing. */
async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'hourglass-long-'));
  const server = await RestartableServer.start(dir);
  const host = new Host(server.address, { HOURGLASS_MAX_TIMEOUT_MS: String(TIMEOUT_MS) }, join(dir, 'host'));
  await host.start();
  const connection = await Connection.connect({ address: server.address });
  const { taskQueue } = host.place.config.temporal;
  const hourglass = await createHourglassClient({ connection, taskQueue });
  const engine = createContainerEngine(loadConfig({ env: process.env }), SILENT);
  const observer = new StartObserver();
  const inputData = { name: 'long', seconds: SECONDS };
  const handle = await hourglass.start({
    language: 'python',
    code: CODE,
    inputData,
    timeout: TIMEOUT_MS,
  });
  let isOver = false;
  const ending = handle.result().finally(() => (isOver = true));
  const restarts = await restartOften(host, () => !isOver);
  const found = await ending;
  const starts = [...observer.of('long')];
  const expected = [found.result as string, ...Array.from({ length: SECONDS }, (_, second) => second), ''].join('\n');
  const left = await leftOvers([host], engine);
  const facts = { success: found.success, restarts, attempts: found.metadata.attempt, starts: starts.length };
  const isRight = found.success && starts.length === 1 && starts[0] === found.result && found.stdout === expected;
  console.log(JSON.stringify({ ...facts, isWhole: found.stdout === expected, left }));
  host.signal('SIGTERM');
  await host.end();
  observer.stop();
  await connection.close();
  await engine.close();
  await server.stop('SIGTERM');
  host.place.remove();
  rmSync(dir, { recursive: true });
  process.exit(isRight && restarts === RESTARTS && left.length === 0 ? 0 : 1);
}

void main();
