import { DurableSetup, sleeper } from '../support/durable';
import { eventually } from '../support/eventually';
import type { TestWorker } from '../support/test-worker';

const BACKLOG = 80;

let setup: DurableSetup;
let worker: TestWorker;

beforeAll(async () => {
  setup = await DurableSetup.open({ MAX_CONCURRENT_EXECUTIONS: '1' });
  worker = await setup.worker();
});

afterAll(async () => {
  await worker.stop();
  await setup.close();
});

/** Starts one program and notes whose it was when it has ended. */
async function runFor(userId: string, ended: string[]): Promise<{ workflowId: string; done: Promise<void> }> {
  // Sandboxes that are used again make a long backlog short work.
  const handle = await setup.hourglass.start({ language: 'shell', code: ':', userId, isolation: 'tenant' });
  return { workflowId: handle.workflowId, done: handle.result().then(() => void ended.push(userId)) };
}

test("R13: one user's backlog does not make another user wait for all of it", async () => {
  const first = await setup.hourglass.start({ language: 'python', code: sleeper('up'), userId: 'greedy' });
  await setup.heartbeat(first.workflowId, ({ phase }) => phase === 'running');
  const ended: string[] = [];
  const runs: { workflowId: string; done: Promise<void> }[] = [];
  for (const userId of [...Array<string>(BACKLOG).fill('greedy'), 'modest']) runs.push(await runFor(userId, ended));
  // The one slot becomes free only when all of them wait for it.
  for (const { workflowId } of runs) await eventually(() => setup.pending(workflowId), Boolean);
  await first.cancel();
  await Promise.all(runs.map(({ done }) => done));
  expect(ended).toHaveLength(BACKLOG + 1);
  expect(ended.indexOf('modest')).toBeLessThan(BACKLOG / 2);
});
