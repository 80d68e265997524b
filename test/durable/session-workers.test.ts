import { randomUUID } from 'node:crypto';
import type { HourglassSession } from '../../src/client';
import { DurableSetup } from '../support/durable';
import { eventually } from '../support/eventually';
import type { Settings } from '../support/test-worker';
import type { TypeScriptProcess } from '../support/typescript-process';
import { startWorkerProcess } from '../support/worker-child';

let setup: DurableSetup;

async function openSetup(settings: Settings = {}): Promise<void> {
  setup = await DurableSetup.open({ HOURGLASS_SHUTDOWN_GRACE_MS: '500', ...settings });
}

afterEach(async () => {
  await setup.close();
});

const startProcess = (): Promise<TypeScriptProcess> => startWorkerProcess(setup.place.settings);

function open(): HourglassSession {
  return setup.hourglass.session({ sessionId: `mine-${randomUUID()}`, language: 'python' });
}

/** Ends a worker in one of the ways in which workers end. */
async function end(worker: TypeScriptProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  worker.kill(signal);
  await worker.end();
}

test.each(['SIGKILL', 'SIGTERM'] as const)('a session outlives %s of its worker between two calls', async (signal) => {
  await openSetup();
  const first = await startProcess();
  const session = open();
  const { metadata } = await session.run('import os\nx = 41\nopen("f", "w").write("kept")');
  await end(first, signal);
  const second = await setup.worker();
  expect(await session.run('result = [x + 1, open("f").read()]')).toMatchObject({
    result: [42, 'kept'],
    metadata: { sandboxId: metadata.sandboxId, startKind: 'session', session: { call: 2, state: 'kept' } },
  });
  await session.close();
  await second.stop();
  expect(await setup.place.containers()).toEqual([]);
  expect(await setup.place.leases()).toEqual([]);
});

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a call that runs goes on after %s of its worker, and runs once',
  async (signal) => {
    await openSetup();
    const first = await startProcess();
    const session = open();
    await session.run('starts = 0');
    const code = 'import time\nstarts += 1\nprint("begin", flush=True)\ntime.sleep(15)\nprint("end")\nresult = starts';
    const running = session.run({ code, timeout: 120_000 });
    await setup.heartbeat(session.workflowId, ({ tail }) => tail === 'begin\n');
    await end(first, signal);
    const second = await setup.worker();
    expect(await running).toMatchObject({ success: true, result: 1, stdout: 'begin\nend\n' });
    expect((await session.run('result = starts')).result).toBe(1);
    await session.close();
    await second.stop();
  },
);

test('a session is closed with its worker where it is told to', async () => {
  await openSetup({ HOURGLASS_SESSIONS_ON_SHUTDOWN: 'close' });
  const first = await startProcess();
  const session = open();
  await session.run('x = 1');
  await end(first, 'SIGTERM');
  expect(await setup.place.containers()).toEqual([]);
  const second = await setup.worker();
  await expect(session.run('result = x')).rejects.toMatchObject({ code: 'SESSION_LOST' });
  await second.stop();
});

test('a session whose workflow ended while no worker was there is ended by the next worker', async () => {
  await openSetup();
  const first = await startProcess();
  const session = open();
  await session.run('x = 1');
  await end(first, 'SIGKILL');
  await setup.client.workflow.getHandle(session.workflowId).terminate();
  const second = await setup.worker();
  await eventually(
    async () => [await setup.place.containers(), await setup.place.leases()],
    (left) => left.every((list) => list.length === 0),
  );
  await second.stop();
});
