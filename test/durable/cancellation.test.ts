import { ExecutionCancelled } from '../../src/client';
import type { ExecutionRequest } from '../../src/contract';
import { DurableSetup, sleeper } from '../support/durable';
import { eventually } from '../support/eventually';
import { withOwnWorkflows } from '../support/own-workflows';
import type { TestWorker } from '../support/test-worker';

let setup: DurableSetup;
let worker: TestWorker;

beforeAll(async () => {
  setup = await DurableSetup.open();
  worker = await setup.worker();
});

afterAll(async () => {
  await worker.stop();
  await setup.close();
});

const REQUEST: ExecutionRequest = { language: 'python', code: sleeper('up'), timeout: 240_000 };

/** Starts a program that does not end by itself and waits until it says that it runs. */
async function running(): Promise<{ workflowId: string; result: () => Promise<unknown>; cancel: () => Promise<void> }> {
  const handle = await setup.hourglass.start(REQUEST);
  await setup.heartbeat(handle.workflowId, ({ tail }) => tail === 'up\n');
  return handle;
}

const gone = (): Promise<string[]> =>
  eventually(
    () => setup.place.containers(),
    (names) => names.length === 0,
  );

/** The log tells the reason a moment after the sandbox is gone. */
async function cancelledBy(reason: string): Promise<void> {
  await eventually(
    () => worker.logged('Code execution cancelled').at(-1)?.reason,
    (last) => last === reason,
  );
}

test('R12: cancelling removes the sandbox before the workflow ends as cancelled', async () => {
  const execution = await running();
  await execution.cancel();
  const error: unknown = await execution.result().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ExecutionCancelled);
  expect(error).toMatchObject({ how: 'cancelled' });
  expect(await setup.place.containers()).toEqual([]);
  expect(await setup.place.leases()).toEqual([]);
  await cancelledBy('CANCELLED');
});

test('a signal of the caller cancels', async () => {
  const controller = new AbortController();
  const result = setup.hourglass.run({ ...REQUEST, executionId: 'by-signal' }, { signal: controller.signal });
  await setup.heartbeat('execution-by-signal', ({ phase }) => phase === 'running');
  controller.abort();
  await expect(result).rejects.toBeInstanceOf(ExecutionCancelled);
});

test('a terminated workflow loses its sandbox at the next heartbeat', async () => {
  const execution = await running();
  await setup.client.workflow.getHandle(execution.workflowId).terminate('enough');
  await expect(execution.result()).rejects.toMatchObject({ how: 'terminated' });
  await gone();
  await cancelledBy('NOT_FOUND');
});

test('an activity that Temporal times out loses its sandbox', async () => {
  const activities = setup.place.config.temporal.taskQueue;
  await withOwnWorkflows(setup, async (taskQueue) => {
    const handle = await setup.client.workflow.start('shortAttempt', {
      workflowId: `short-${activities}`,
      taskQueue,
      args: [REQUEST, 3_000, activities],
    });
    await expect(handle.result()).rejects.toMatchObject({ cause: { cause: { timeoutType: 'START_TO_CLOSE' } } });
  });
  await gone();
});
