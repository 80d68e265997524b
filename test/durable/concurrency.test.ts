import { DurableSetup } from '../support/durable';
import type { TestWorker } from '../support/test-worker';

/**
 * Slots of the worker for the common task queue. For the queue of its host, where workflows ask for what an earlier attempt
 * has left, the worker has as many again: those are not counted here, and no execution of this file comes that way.
 */
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

test('R13: of many executions at once never more run than the worker has slots, and all of them run', async () => {
  const runs = Array.from({ length: EXECUTIONS }, () => setup.hourglass.run({ language: 'python', code: TIMED }));
  const results = await Promise.all(runs);
  expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
  const atOnce = mostAtOnce(results.map(({ result }) => result as [number, number]));
  expect(atOnce).toBeLessThanOrEqual(SLOTS);
  // One after the other would be no more either.
  expect(atOnce).toBeGreaterThan(1);
});
