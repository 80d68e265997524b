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

interface Waiting {
  readonly userId: string;
  readonly workflowId: string;
  readonly done: Promise<unknown>;
}

/** Starts one program; sandboxes that are used again make a long backlog short work. */
async function startFor(userId: string): Promise<Waiting> {
  const handle = await setup.hourglass.start({ language: 'shell', code: ':', userId, isolation: 'tenant' });
  return { userId, workflowId: handle.workflowId, done: handle.result() };
}

/** When the server handed an execution's activity out, in ns; what the worker made of it counts for nothing here. */
async function handedOut({ workflowId }: Waiting): Promise<bigint> {
  const { events } = await setup.client.workflow.getHandle(workflowId).fetchHistory();
  const time = events?.find(({ activityTaskStartedEventAttributes: started }) => started)?.eventTime;
  return BigInt(String(time?.seconds)) * 1_000_000_000n + BigInt(time?.nanos ?? 0);
}

/** How an execution's activity was queued. */
async function scheduled({ workflowId }: Waiting): Promise<unknown> {
  const { events } = await setup.client.workflow.getHandle(workflowId).fetchHistory();
  return events?.find(({ activityTaskScheduledEventAttributes: found }) => found)?.activityTaskScheduledEventAttributes
    ?.priority;
}

test("R13: one user's backlog does not make another user wait for all of it", async () => {
  const first = await setup.hourglass.start({ language: 'python', code: sleeper('up'), userId: 'greedy' });
  await setup.heartbeat(first.workflowId, ({ phase }) => phase === 'running');
  const runs: Waiting[] = [];
  for (const userId of [...Array<string>(BACKLOG).fill('greedy'), 'modest']) runs.push(await startFor(userId));
  // The one slot becomes free only when all of them wait for it.
  for (const { workflowId } of runs) await eventually(() => setup.pending(workflowId), Boolean);
  await first.cancel();
  await Promise.all(runs.map(({ done }) => done));
  const times = await Promise.all(runs.map(handedOut));
  const modest = times.at(-1) ?? 0n;
  expect(times).toHaveLength(BACKLOG + 1);
  // The two take turns: the one or two that were handed out before its turn came are no backlog.
  expect(times.filter((time) => time < modest).length).toBeLessThan(5);
});

test('the priority of an execution goes before its turn, and so does a fairness key of its own', async () => {
  const first = await setup.hourglass.start({ language: 'python', code: sleeper('up'), userId: 'first' });
  await setup.heartbeat(first.workflowId, ({ phase }) => phase === 'running');
  const request = { language: 'shell', code: ':', userId: 'queue', isolation: 'tenant' } as const;
  const priorities = [{}, {}, {}, { priorityKey: 1, fairnessKey: 'express', fairnessWeight: 2 }];
  const runs: Waiting[] = [];
  for (const priority of priorities) {
    const handle = await setup.hourglass.start(request, { priority });
    runs.push({ userId: 'queue', workflowId: handle.workflowId, done: handle.result() });
  }
  for (const { workflowId } of runs) await eventually(() => setup.pending(workflowId), Boolean);
  await first.cancel();
  await Promise.all(runs.map(({ done }) => done));
  const times = await Promise.all(runs.map(handedOut));
  const express = times.at(-1) ?? 0n;
  expect(times.filter((time) => time < express).length).toBeLessThan(2);
  expect(await Promise.all(runs.map(scheduled))).toMatchObject([
    ...Array<object>(3).fill({ fairnessKey: 'default/queue' }),
    { priorityKey: 1, fairnessKey: 'express', fairnessWeight: 2 },
  ]);
});
