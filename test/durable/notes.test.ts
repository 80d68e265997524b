import type { Progress } from '../../src/contract';
import { DurableSetup } from '../support/durable';
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

/** Keeps how often it was started, and ends at its second start. */
const STARTS = `
import time
starts = (hourglass.last_checkpoint or 0) + 1
hourglass.checkpoint(starts)
print("up", flush=True)
if starts == 1:
    time.sleep(250)
result = starts`;

test('a program that runs again after its sandbox was lost finds its last checkpoint', async () => {
  const handle = await setup.hourglass.start({ language: 'python', code: STARTS, timeout: 240_000, idempotent: true });
  const { sandboxId } = await setup.heartbeat(handle.workflowId, ({ checkpoint }) => checkpoint === 1);
  await setup.place.removeContainer(sandboxId ?? '');
  expect(await handle.result()).toMatchObject({ success: true, result: 2, metadata: { attempt: 2 } });
});

test('the client hears how far a program is', async () => {
  const code = 'import time\nfor n in range(1, 5):\n    hourglass.progress(n / 4, f"part {n}")\n    time.sleep(2)';
  const heard: Progress[] = [];
  await setup.hourglass.run({ language: 'python', code }, { onProgress: (progress) => heard.push(progress) });
  expect(heard.length).toBeGreaterThan(1);
  expect(heard).toEqual([...heard].sort((a, b) => a.fraction - b.fraction));
  expect(heard[0]?.message).toMatch(/^part \d$/);
});
