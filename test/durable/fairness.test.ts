import { DurableSetup } from '../support/durable';
import type { TestWorker } from '../support/test-worker';

const BACKLOG = 80;

let setup: DurableSetup;
let worker: TestWorker | undefined;

beforeAll(async () => {
  setup = await DurableSetup.open({ MAX_CONCURRENT_EXECUTIONS: '1' });
});

afterAll(async () => {
  await worker?.stop();
  await setup.close();
});

/** Starts one program and notes whose it was when it has ended. */
async function runFor(userId: string, ended: string[]): Promise<{ done: Promise<void> }> {
  const handle = await setup.hourglass.start({ language: 'shell', code: ':', userId, isolation: 'tenant' });
  // Sandboxes that are used again make a long backlog short work.
  return { done: handle.result().then(() => void ended.push(userId)) };
}

test("R13: one user's backlog does not make another user wait for all of it", async () => {
  const ended: string[] = [];
  const runs: { done: Promise<void> }[] = [];
  for (let count = 0; count < BACKLOG; count += 1) runs.push(await runFor('greedy', ended));
  runs.push(await runFor('modest', ended));
  // Only now somebody works, so that all of it is queued.
  worker = await setup.worker();
  await Promise.all(runs.map(({ done }) => done));
  expect(ended).toHaveLength(BACKLOG + 1);
  expect(ended.indexOf('modest')).toBeLessThan(BACKLOG / 2);
});
