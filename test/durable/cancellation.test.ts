import { resolve } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import { ExecutionCancelled } from '../../src/client';
import type { ExecutionRequest } from '../../src/contract';
import { DurableSetup, sleeper } from '../support/durable';
import { eventually } from '../support/eventually';
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
  const connection = await NativeConnection.connect({ address: setup.server.address });
  const taskQueue = setup.place.config.temporal.taskQueue;
  // Workflow tasks of the test's own workflow go to this worker alone: it polls a queue of its own.
  const workflows = await Worker.create({
    connection,
    taskQueue: `${taskQueue}-workflows`,
    workflowsPath: resolve(__dirname, '../support/test-workflows.ts'),
  });
  await workflows.runUntil(async () => {
    const handle = await setup.client.workflow.start('shortAttempt', {
      workflowId: `short-${taskQueue}`,
      taskQueue: `${taskQueue}-workflows`,
      args: [REQUEST, 3_000, taskQueue],
    });
    await expect(handle.result()).rejects.toMatchObject({ cause: { cause: { timeoutType: 'START_TO_CLOSE' } } });
  });
  await connection.close();
  await gone();
});

test('a paused activity ends its program, and unpausing runs it again', async () => {
  const execution = await running();
  await setup.connection.workflowService.pauseActivity({
    namespace: 'default',
    execution: { workflowId: execution.workflowId },
    identity: 'test',
    type: 'executeCode',
    reason: 'lunch',
  });
  await gone();
  await cancelledBy('PAUSED');
  await eventually(
    () => setup.pending(execution.workflowId),
    (activity) => activity?.paused === true,
  );
  await setup.connection.workflowService.unpauseActivity({
    namespace: 'default',
    execution: { workflowId: execution.workflowId },
    identity: 'test',
    type: 'executeCode',
  });
  await setup.heartbeat(
    execution.workflowId,
    ({ tail, phase }, { attempt }) => attempt > 1 && phase === 'running' && tail === 'up\n',
  );
  await execution.cancel();
  await expect(execution.result()).rejects.toBeInstanceOf(ExecutionCancelled);
  await gone();
});

test('a reset activity ends its program and starts it again', async () => {
  const execution = await running();
  const before = await setup.pending(execution.workflowId);
  await setup.connection.workflowService.resetActivity({
    namespace: 'default',
    execution: { workflowId: execution.workflowId },
    identity: 'test',
    type: 'executeCode',
  });
  await cancelledBy('RESET');
  await setup.heartbeat(
    execution.workflowId,
    ({ sandboxId, tail }) => sandboxId !== before?.heartbeat?.sandboxId && tail === 'up\n',
  );
  expect(await setup.place.containers()).toHaveLength(1);
  await execution.cancel();
  await expect(execution.result()).rejects.toBeInstanceOf(ExecutionCancelled);
  await gone();
});
