import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionHandle } from '../../src/client';
import type { ExecutionRequest } from '../../src/contract';
import { DurableSetup, sleeper } from './durable';
import { eventually } from './eventually';
import { encodeHistory } from './histories';
import { recordSessions } from './record-sessions';
import type { TestWorker } from './test-worker';
import type { TypeScriptProcess } from './typescript-process';
import { startWorkerProcess } from './worker-child';

const HISTORIES = join(__dirname, '../durable/histories');

/** An execution and what happens to it; its history is named after it. */
interface Way {
  readonly request: ExecutionRequest;
  readonly isCancelled?: boolean;
  /** The host on which the program begins dies, and comes back when it is asked. */
  readonly host?: 'stays away' | 'comes back';
}

const SHORT: ExecutionRequest = { language: 'python', code: 'import time\nprint("up", flush=True)\ntime.sleep(15)' };

const WAYS: Readonly<Record<string, Way>> = {
  result: { request: { language: 'python', code: 'result = 6 * 7', executionId: 'recorded' } },
  refused: { request: { language: 'python', code: '1', timeout: 400_000 } },
  cancelled: { request: { language: 'python', code: sleeper('up') }, isCancelled: true },
  'host-back': { request: { ...SHORT, hostLostAfter: 120_000 }, host: 'comes back' },
  'host-lost': { request: { ...SHORT, hostLostAfter: 2_000 }, host: 'stays away' },
  'host-lost-rerun': { request: { ...SHORT, hostLostAfter: 2_000, idempotent: true }, host: 'stays away' },
};

/** Lets the program begin on a host of its own, which dies; the result brings the host back. */
async function loseHost(
  setup: DurableSetup,
  { workflowId }: ExecutionHandle,
): Promise<() => Promise<TypeScriptProcess>> {
  const settings = { ...setup.place.settings, HOURGLASS_STATE_DIR: join(setup.place.dir, 'other-state') };
  const there = await startWorkerProcess(settings);
  await setup.heartbeat(workflowId, ({ tail }) => Boolean(tail));
  there.kill('SIGKILL');
  await there.end();
  return () => startWorkerProcess(settings);
}

async function cancel(setup: DurableSetup, handle: ExecutionHandle): Promise<void> {
  await setup.heartbeat(handle.workflowId, ({ phase }) => phase === 'running');
  await handle.cancel();
}

/** Resolves when an attempt has found that it is on another host than the one before. */
async function handedBack(worker: TestWorker): Promise<void> {
  await eventually(
    () => worker.logged('Code execution failed'),
    (lines) => lines.some(({ code }) => code === 'OTHER_HOST'),
  );
}

/** Keeps the history of one way; one that is there is not changed. */
async function keep(file: string, { request, isCancelled, host }: Way): Promise<void> {
  if (existsSync(file)) return;
  const setup = await DurableSetup.open();
  const handle = await setup.hourglass.start(request);
  const bringBack = host && (await loseHost(setup, handle));
  const worker = await setup.worker();
  if (isCancelled) await cancel(setup, handle);
  if (bringBack && host === 'comes back') await handedBack(worker).then(bringBack);
  await handle.result().catch(() => undefined);
  const history = await setup.client.workflow.getHandle(handle.workflowId).fetchHistory();
  writeFileSync(file, encodeHistory(history));
  await worker.stop();
  await setup.close();
}

/** Writes the histories that a release adds to the replay test; its argument is the version, such as `v2`. */
async function record(version: string): Promise<void> {
  mkdirSync(HISTORIES, { recursive: true });
  for (const [name, way] of Object.entries(WAYS)) {
    await keep(join(HISTORIES, `execute-code-${version}-${name}.binpb`), way);
  }
  const file = (name: string): string => join(HISTORIES, `code-session-${version}-${name}.binpb`);
  await recordSessions(
    (name) => existsSync(file(name)),
    (name, history) => writeFileSync(file(name), encodeHistory(history)),
  );
  // The workers of hosts that came back.
  process.exit(0);
}

void record(process.argv[2] ?? 'v1');
