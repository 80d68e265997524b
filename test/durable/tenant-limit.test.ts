import type { ExecutionHandle } from '../../src/client';
import { DurableSetup } from '../support/durable';
import { eventually } from '../support/eventually';
import type { TestWorker } from '../support/test-worker';

const SLOTS = 4;
const MOST = 2;
const QUEUED = 12;

let setup: DurableSetup;
let worker: TestWorker;

beforeAll(async () => {
  setup = await DurableSetup.open({
    MAX_CONCURRENT_EXECUTIONS: String(SLOTS),
    HOURGLASS_MAX_RUNNING_PER_TENANT: String(MOST),
  });
  worker = await setup.worker();
});

afterAll(async () => {
  await worker?.stop();
  await setup?.close();
});

/** From when to when it ran, in s: all of them on one machine. */
type Span = [from: number, to: number];

const spans = (seconds: number): string =>
  `import time\nbegin = time.time()\ntime.sleep(${seconds})\nresult = [begin, time.time()]`;

const start = (userId: string, seconds: number): Promise<ExecutionHandle> =>
  setup.hourglass.start({ language: 'python', code: spans(seconds), userId, timeout: 120_000 });

/** Types of failures of what is to be tried again. */
async function setbacks(handles: readonly ExecutionHandle[]): Promise<(string | null | undefined)[]> {
  const types = handles.map(async ({ workflowId }) => {
    const { raw } = await setup.client.workflow.getHandle(workflowId).describe();
    return raw.pendingActivities?.[0]?.lastFailure?.applicationFailureInfo?.type;
  });
  return (await Promise.all(types)).filter((type) => type !== undefined);
}

/** Most of them that ran at the same moment. */
function atOnce(all: readonly Span[]): number {
  return Math.max(...all.map(([begin]) => all.filter(([from, to]) => from <= begin && begin < to).length));
}

test('a tenant runs no more than it may; the rest waits where all can see it, and holds nobody up', async () => {
  const greedy = await Promise.all(Array.from({ length: QUEUED }, () => start('greedy', 2)));
  expect(
    new Set(
      await eventually(
        () => setbacks(greedy),
        (types) => types.length > 0,
      ),
    ),
  ).toEqual(new Set(['TENANT_LIMIT']));
  const modest = [await start('modest', 0.1), await start('modest', 0.1)];
  const modestSpans = await Promise.all(modest.map(async (handle) => (await handle.result()).result as Span));
  const results = await Promise.all(greedy.map((handle) => handle.result()));
  const greedySpans = results.map(({ result }) => result as Span);
  expect(results.map(({ success }) => success)).toEqual(Array<boolean>(QUEUED).fill(true));
  expect(atOnce(greedySpans)).toBe(MOST);
  // Both were begun while most of what came before them waited.
  const lastModest = Math.max(...modestSpans.map(([begin]) => begin));
  expect(greedySpans.filter(([begin]) => begin > lastModest).length).toBeGreaterThan(QUEUED / 2);
  expect(worker.logged('Code execution failed').filter(({ code }) => code !== 'TENANT_LIMIT')).toEqual([]);
});

test('what waits here for its turn is cancelled as anything else', async () => {
  const handles = await Promise.all(Array.from({ length: MOST + 1 }, () => start('other', 60)));
  const isWaiting = async (): Promise<ExecutionHandle | undefined> => {
    const phases = await Promise.all(
      handles.map(async ({ workflowId }) => (await setup.pending(workflowId))?.heartbeat),
    );
    const at = phases.findIndex((heartbeat) => heartbeat?.phase === 'queued');
    return phases.filter((heartbeat) => heartbeat?.phase === 'running').length === MOST ? handles[at] : undefined;
  };
  const waiting = await eventually(isWaiting, (handle) => handle !== undefined);
  for (const handle of [waiting, ...handles]) await handle?.cancel();
  const ends = await Promise.allSettled(handles.map((handle) => handle.result()));
  expect(ends.map(({ status }) => status)).toEqual(Array<string>(MOST + 1).fill('rejected'));
  await eventually(
    () => setup.place.containers(),
    (left) => left.length === 0,
  );
});
