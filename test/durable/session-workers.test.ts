import { randomUUID } from 'node:crypto';
import type { HourglassSession } from '../../src/client';
import type { DurableSetup } from '../support/durable';
import { eventually } from '../support/eventually';
import { ownSetups } from '../support/own-setup';
import { nothingLeft } from '../support/slow-execution';
import type { TypeScriptProcess } from '../support/typescript-process';

const openSetup = ownSetups();

function open({ hourglass }: DurableSetup): HourglassSession {
  return hourglass.session({ sessionId: `mine-${randomUUID()}`, language: 'python' });
}

/** Ends a worker in one of the ways in which workers end. */
async function end(worker: TypeScriptProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  worker.kill(signal);
  await worker.end();
}

test.each(['SIGKILL', 'SIGTERM'] as const)('a session outlives %s of its worker between two calls', async (signal) => {
  const setup = await openSetup(500);
  const first = await setup.workerProcess();
  const session = open(setup);
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
    const setup = await openSetup(500);
    const first = await setup.workerProcess();
    const session = open(setup);
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

test('a rollback that a killed worker has begun is finished by the next one', async () => {
  const setup = await openSetup(500);
  const first = await setup.workerProcess();
  const session = setup.hourglass.session({ sessionId: 'mine', language: 'python', keepCalls: 2 });
  const write = (n: number): string => `x = ${n}\nfor i in range(200): open(f"f{i}", "w").write(f"${n} {i}" * 1000)`;
  await session.run(write(1));
  await session.run(write(2));
  const back = session.rollback(1);
  await eventually(
    () => setup.pending(session.workflowId),
    (activity) => activity !== undefined,
  );
  await end(first, 'SIGKILL');
  const second = await setup.worker();
  await back;
  const look = 'result = [x, sum(open(f"f{i}").read() == f"1 {i}" * 1000 for i in range(200))]';
  expect((await session.run(look)).result).toEqual([1, 200]);
  await session.close();
  await second.stop();
});

test('a session is closed with its worker where it is told to', async () => {
  const setup = await openSetup(500, { HOURGLASS_SESSIONS_ON_SHUTDOWN: 'close' });
  const first = await setup.workerProcess();
  const session = open(setup);
  await session.run('x = 1');
  await end(first, 'SIGTERM');
  expect(await setup.place.containers()).toEqual([]);
  const second = await setup.worker();
  await expect(session.run('result = x')).rejects.toMatchObject({ code: 'SESSION_LOST' });
  await second.stop();
});

test('a session whose workflow ended while no worker was there is ended by the next worker', async () => {
  const setup = await openSetup(500);
  const first = await setup.workerProcess();
  const session = open(setup);
  await session.run('x = 1');
  await end(first, 'SIGKILL');
  await setup.client.workflow.getHandle(session.workflowId).terminate();
  const second = await setup.worker();
  await nothingLeft(setup);
  await second.stop();
});
