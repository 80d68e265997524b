import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ActivityControl } from '../support/activity-control';
import { DurableSetup } from '../support/durable';
import { eventually } from '../support/eventually';
import { nothingLeft, startSlow, type SlowExecution } from '../support/slow-execution';
import type { TestWorker } from '../support/test-worker';
import { startWorkerProcess } from '../support/worker-child';

let setup: DurableSetup;
let worker: TestWorker;

beforeAll(async () => {
  setup = await DurableSetup.open({ HOURGLASS_SHUTDOWN_GRACE_MS: '500' });
  worker = await setup.worker();
});

afterAll(async () => {
  await worker.stop();
  await setup.close();
});

/** Resolves when the worker has heard of it, and no attempt runs. */
async function pause({ workflowId }: { readonly workflowId: string }, type?: string): Promise<ActivityControl> {
  const control = new ActivityControl(setup, workflowId, type);
  const heard = worker.logged('Code execution cancelled').length;
  await control.pause();
  await eventually(
    () => worker.logged('Code execution cancelled').slice(heard),
    (lines) => lines.some(({ reason }) => reason === 'PAUSED'),
  );
  await eventually(
    () => setup.pending(workflowId),
    (activity) => activity?.paused === true,
  );
  return control;
}

/** The one start of a program, and all that it has printed. */
async function ranOnce(execution: SlowExecution): Promise<void> {
  const { token, sandboxId } = execution;
  const found = await execution.result();
  expect(found).toMatchObject({ success: true, result: token, metadata: { sandboxId } });
  expect(found.stdout).toBe(`${token}\nend\n`);
  await nothingLeft(setup);
}

const created = (): number => worker.logged('Creating sandbox container').length;

describe('a paused activity', () => {
  test('lets its program go on, and the next attempt takes it over', async () => {
    const execution = await startSlow(setup, 12);
    const before = created();
    const control = await pause(execution);
    expect(await setup.place.containers()).toEqual([execution.sandboxId]);
    await control.unpause();
    await ranOnce(execution);
    expect(created()).toBe(before);
  });

  test('whose program ends meanwhile has its result kept, and its output files published', async () => {
    const execution = await startSlow(setup, 4);
    const control = await pause(execution);
    await nothingLeft(setup);
    expect(await setup.place.files()).toContain('token.txt');
    expect((await setup.pending(execution.workflowId))?.paused).toBe(true);
    await control.unpause();
    await ranOnce(execution);
  });

  test('whose program takes too long meanwhile ends it', async () => {
    const execution = await startSlow(setup, 250, { timeout: 6_000 });
    const control = await pause(execution);
    await nothingLeft(setup);
    await control.unpause();
    expect(await execution.result()).toMatchObject({ success: false, error: { code: 'TIMEOUT' } });
  });

  test.each(['cancel', 'terminate'] as const)('loses its program to a %s of its workflow', async (how) => {
    const execution = await startSlow(setup, 250);
    await pause(execution);
    await setup.client.workflow.getHandle(execution.workflowId)[how]();
    await expect(execution.result()).rejects.toMatchObject({ how: how === 'cancel' ? 'cancelled' : 'terminated' });
    await nothingLeft(setup);
  });
});

test('a reset activity lets its program go on, and the next attempt takes it over', async () => {
  const execution = await startSlow(setup, 12);
  const before = created();
  await new ActivityControl(setup, execution.workflowId).reset();
  await eventually(
    () => worker.logged('Sandbox of an earlier attempt taken over'),
    (lines) => lines.some(({ containerName }) => containerName === execution.sandboxId),
  );
  await ranOnce(execution);
  expect(created()).toBe(before);
});

test.each(['pause', 'reset'] as const)('a call of a session goes on after a %s, and runs once', async (how) => {
  await using session = setup.hourglass.session({ sessionId: `mine-${randomUUID()}`, language: 'python' });
  await session.run('starts = 0');
  const code = 'import time\nstarts += 1\nprint("begin", flush=True)\ntime.sleep(12)\nprint("end")\nresult = starts';
  const running = session.run({ code, timeout: 120_000 });
  await setup.heartbeat(session.workflowId, ({ tail }) => tail === 'begin\n');
  if (how === 'reset') await new ActivityControl(setup, session.workflowId, 'callSession').reset();
  else await pause(session, 'callSession').then((control) => control.unpause());
  expect(await running).toMatchObject({ success: true, result: 1, stdout: 'begin\nend\n' });
  expect((await session.run('result = starts')).result).toBe(1);
});

/** The program begins in a worker of its own, whose place others take; last, because nobody else may take its attempts. */
describe('with another worker', () => {
  beforeAll(() => worker.stop());

  test('a paused activity is taken over by the next worker of its host', async () => {
    const first = await setup.workerProcess();
    const execution = await startSlow(setup, 20);
    const control = new ActivityControl(setup, execution.workflowId);
    await control.pause();
    await setup.heartbeat(execution.workflowId, ({ end }, { paused }) => paused && end === 'left');
    first.kill('SIGTERM');
    expect(await first.end()).toMatchObject({ code: 0 });
    expect(await setup.place.containers()).toEqual([execution.sandboxId]);
    worker = await setup.worker();
    await control.unpause();
    await ranOnce(execution);
    await worker.stop();
  });

  test('a reset activity whose next attempt comes to another host is finished by the one that has it', async () => {
    const first = await setup.workerProcess();
    const execution = await startSlow(setup, 20);
    first.kill('SIGKILL');
    await first.end();
    await new ActivityControl(setup, execution.workflowId).reset();
    const settings = { ...setup.place.settings, HOURGLASS_STATE_DIR: join(setup.place.dir, 'other-state') };
    const other = await startWorkerProcess(settings);
    await eventually(
      async () => (await setup.client.workflow.getHandle(execution.workflowId).fetchHistory()).events ?? [],
      (events) => events.filter((event) => event.activityTaskScheduledEventAttributes).length > 1,
    );
    worker = await setup.worker();
    await ranOnce(execution);
    other.kill('SIGTERM');
    await other.end();
    await worker.stop();
  });
});
