import { DurableSetup, sleeper } from '../support/durable';
import type { TestWorker } from '../support/test-worker';

let setup: DurableSetup;
let worker: TestWorker;

beforeAll(async () => {
  setup = await DurableSetup.open({ HOURGLASS_MEMORY_BUDGET_MB: '512', HOURGLASS_QUEUE_TIMEOUT_MS: '3000' });
  worker = await setup.worker();
});

afterAll(async () => {
  await worker.stop();
  await setup.close();
});

test('an execution that asks for more memory than is free waits, heartbeating as queued, and then runs', async () => {
  const first = await setup.hourglass.start({
    language: 'python',
    code: 'import time\nprint("up", flush=True)\ntime.sleep(1.5)',
    resourceLimits: { memoryMb: 256 },
  });
  await setup.heartbeat(first.workflowId, ({ phase }) => phase === 'running');
  const second = await setup.hourglass.start({ language: 'python', code: '1', resourceLimits: { memoryMb: 512 } });
  await setup.heartbeat(second.workflowId, ({ phase }) => phase === 'queued');
  expect((await first.result()).success).toBe(true);
  const result = await second.result();
  expect(result.success).toBe(true);
  expect(result.metadata.queueTimeMs).toBeGreaterThan(0);
});

test('a wait for memory that takes too long is a QUEUE_TIMEOUT that is tried again', async () => {
  const first = await setup.hourglass.start({
    language: 'python',
    code: sleeper('up'),
    resourceLimits: { memoryMb: 512 },
  });
  await setup.heartbeat(first.workflowId, ({ phase }) => phase === 'running');
  const second = await setup.hourglass.start({ language: 'python', code: 'result = 1' });
  await setup.heartbeat(second.workflowId, (_, { attempt }) => attempt === 2);
  await first.cancel();
  await expect(first.result()).rejects.toThrow('was cancelled');
  expect(await second.result()).toMatchObject({ success: true, result: 1 });
});

test('memory that the host never has is refused by name', async () => {
  await expect(
    setup.hourglass.run({ language: 'python', code: '1', resourceLimits: { memoryMb: 600 } }),
  ).rejects.toMatchObject({ code: 'POLICY_DENIED', details: { limit: 'memoryMb', asked: 600, max: 512 } });
});
