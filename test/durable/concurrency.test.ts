import { NativeConnection, Worker } from '@temporalio/worker';
import { hostQueue, type ExecutionResult } from '../../src/contract';
import { loadHostId } from '../../src/leases/host-id';
import { DurableSetup } from '../support/durable';
import type { TestWorker } from '../support/test-worker';

/** Of the worker, for what comes by the common task queue and by that of its host together. */
const SLOTS = 3;
const EXECUTIONS = 5 * SLOTS;

let setup: DurableSetup;
let worker: TestWorker;

beforeAll(async () => {
  setup = await DurableSetup.open({ MAX_CONCURRENT_EXECUTIONS: String(SLOTS) });
  worker = await setup.worker();
});

afterAll(async () => {
  await worker.stop();
  await setup.close();
});

/** Says when it began and when it ended, by the clock that all sandboxes of one kernel share. */
const TIMED = 'import time\nbegin = time.time()\ntime.sleep(1)\nresult = [begin, time.time()]';

/** The most intervals that have a moment in common. */
function mostAtOnce(intervals: readonly (readonly [begin: number, end: number])[]): number {
  const counts = intervals.map(([begin]) => intervals.filter(([from, to]) => from <= begin && begin < to).length);
  return Math.max(...counts);
}

/** Runs by the queue of the worker's host, where workflows ask for what an earlier attempt has left: it has polls of its own. */
async function withHostQueue<T>(act: (run: () => Promise<ExecutionResult>) => Promise<T>): Promise<T> {
  const taskQueue = 'workflows-of-the-test';
  const { stateDir, temporal } = setup.place.config;
  const queue = hostQueue(temporal.taskQueue, await loadHostId(stateDir));
  const connection = await NativeConnection.connect({ address: setup.server.address });
  const workflowsPath = require.resolve('../support/test-workflows.ts');
  const workflows = await Worker.create({ connection, taskQueue, workflowsPath });
  let started = 0;
  const run = (): Promise<ExecutionResult> =>
    setup.client.workflow.execute('shortAttempt', {
      taskQueue,
      workflowId: `by-host-${(started += 1)}`,
      args: [{ language: 'python', code: TIMED }, 120_000, queue],
    });
  return workflows.runUntil(() => act(run)).finally(() => connection.close());
}

test('R13: of many executions at once never more run than the worker has slots, and all of them run', async () => {
  const results = await withHostQueue((byHost) => {
    const byAll = (): Promise<ExecutionResult> => setup.hourglass.run({ language: 'python', code: TIMED });
    return Promise.all(Array.from({ length: EXECUTIONS }, (_, at) => (at % 2 === 0 ? byAll() : byHost())));
  });
  expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
  const atOnce = mostAtOnce(results.map(({ result }) => result as [number, number]));
  expect(atOnce).toBeLessThanOrEqual(SLOTS);
  // One after the other would be no more either.
  expect(atOnce).toBeGreaterThan(1);
});
