import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { ExecutionCancelled, type HourglassSession } from '../../src/client';
import { sessionWorkflowId, type SessionOptions } from '../../src/contract';
import { inLanes } from '../../src/lanes';
import type { codeSession } from '../../workflows';
import { DurableSetup } from '../support/durable';
import { eventually } from '../support/eventually';
import type { TestWorker } from '../support/test-worker';

let setup: DurableSetup;
let worker: TestWorker;

beforeAll(async () => {
  setup = await DurableSetup.open({ HOURGLASS_MAX_SESSIONS: '50', CODE_SESSION_TTL_MS: '60000' });
  worker = await setup.worker();
});

afterAll(async () => {
  await worker.stop();
  await setup.close();
});

function open(options: Partial<SessionOptions> = {}): HourglassSession {
  return setup.hourglass.session({
    sessionId: 'mine',
    language: 'shell',
    userId: `user-${randomUUID()}`,
    ...options,
  });
}

const handleOf = (session: HourglassSession): WorkflowHandle<typeof codeSession> =>
  setup.client.workflow.getHandle<typeof codeSession>(session.workflowId);

const order = { client: 'somebody', number: 1 };

test.each([
  ['execute', []],
  ['execute', [order]],
  ['execute', [order, null]],
  ['execute', [order, 7]],
  ['execute', [{ client: 'x'.repeat(1_000), number: 1 }, {}]],
  ['execute', [{ client: 'a b', number: 1 }, {}]],
  ['execute', [{ client: 'a', number: 1e300 }, {}]],
  ['execute', [{ client: 'a', number: 0 }, {}]],
  ['execute', [order, { language: 'shell', code: 'x'.repeat(1_950_000) }]],
  ['upload', [order]],
  ['download', [order, 'text']],
  ['listFiles', [null]],
  ['interrupt', []],
  ['renew', [{ idleTtlMs: 'soon' }]],
  ['renew', [{ idleTtlMs: -1 }]],
])('an update "%s" that makes no sense is refused and leaves the session as it is', async (name, args) => {
  await using session = open();
  await session.run('x=1');
  await expect(handleOf(session).executeUpdate(name, { args: args as [unknown] })).rejects.toThrow();
  expect((await session.run('echo $x')).stdout).toBe('1\n');
});

test.each([
  [{ kind: 'no request at all' }],
  [{ language: 'shell', code: 'echo', userId: 'somebody-else' }],
  [{ language: 'shell', code: 'echo', resourceLimits: { memoryMb: 1_000 } }],
])('a request that is not valid, or of another tenant, or of other limits, is refused by name: %j', async (request) => {
  await using session = open();
  await session.run('x=1');
  const asked = handleOf(session).executeUpdate('execute', { args: [order, request] });
  await expect(asked).rejects.toMatchObject({
    cause: { cause: { type: expect.stringMatching(/^(VALIDATION_ERROR|SESSION_MISMATCH)$/) as unknown } },
  });
  expect((await session.run('echo $x')).stdout).toBe('1\n');
});

test.each([
  ['without options', 'session/a/b/c', undefined],
  ['under the id of another', 'session/a/b/c', { sessionId: 'c', language: 'shell', workspaceId: 'a', userId: 'eve' }],
  ['without a language', sessionWorkflowId({ workspaceId: 'a', userId: 'b' }, 'd'), { sessionId: 'd' }],
  ['with options that are no text', 'session/a/b/e', { sessionId: 7, language: 'shell' }],
])('a session that is started %s ends with VALIDATION_ERROR', async (_, workflowId, options) => {
  const taskQueue = setup.place.config.temporal.taskQueue;
  const args = [{ v: 1, options }] as unknown as [never];
  const handle = await setup.client.workflow.start('codeSession', { workflowId, taskQueue, args });
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'VALIDATION_ERROR' } });
});

test('more calls than the server takes at a time are answered in their order', async () => {
  await using session = open();
  const calls = Array.from({ length: 25 }, (_, n) => session.run(`seen="$seen ${n}"; echo $seen`));
  const results = await Promise.all(calls);
  expect(results.at(-1)?.stdout.trim().split(' ').map(Number)).toEqual(Array.from({ length: 25 }, (_, n) => n));
});

test('a session whose workflow is cancelled while calls wait ends them all', async () => {
  const session = open();
  await session.run('x=1');
  const calls = Array.from({ length: 3 }, () => session.run('sleep 100').catch((error: unknown) => error));
  await eventually(
    () => session.status(),
    ({ waiting }) => waiting === 2,
  );
  await handleOf(session).cancel();
  const ends = await Promise.all(calls);
  expect(ends.every((end) => end instanceof Error)).toBe(true);
  await expect(handleOf(session).result()).rejects.toThrow();
  expect(await setup.place.containers()).toEqual([]);
});

test('a session that says nothing of its idle time has that of its worker', async () => {
  await using session = open();
  await session.run('x=1');
  const { lastUsedAt } = await session.status();
  const handle = handleOf(session);
  const history = await handle.fetchHistory();
  const timers = (history.events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
    timer ? [Number(timer.startToFireTimeout?.seconds)] : [],
  );
  expect(timers.some((seconds) => seconds <= 60)).toBe(true);
  expect(Date.parse(lastUsedAt)).toBeLessThanOrEqual(Date.now());
});

test('a session goes over into a next run unnoticed, and a call that was answered is not run again', async () => {
  await using session = open();
  const request = { language: 'shell', code: 'n=$((n+1)); echo $n', executionId: 'once' } as const;
  const first = { client: 'somebody', number: 1 };
  await session.run('n=0');
  const handle = handleOf(session);
  const answer = await handle.executeUpdate('execute', { args: [first, request], updateId: 'one' });
  const { runId } = await handle.describe();
  // More updates than one run takes; each costs next to nothing.
  for (let renewals = 0; renewals < 510; renewals += 1) await session.renew();
  expect((await handle.describe()).runId).not.toBe(runId);
  expect(await handle.executeUpdate('execute', { args: [first, request], updateId: 'one' })).toEqual(answer);
  expect((await session.run('echo $n')).stdout).toBe('1\n');
});

test('a call that a run takes no more is for the next one', async () => {
  await using session = open();
  await session.run('x=1');
  const controller = new AbortController();
  // Longer than so many updates take on a machine that does other things.
  const long = { code: 'sleep 250', timeout: 280_000 };
  const running = session.run(long, { signal: controller.signal }).catch((error: unknown) => error);
  await eventually(
    () => session.status(),
    ({ phase }) => phase === 'busy',
  );
  // With the two calls as many updates as one run takes.
  await inLanes(Array.from({ length: 1_498 }), 8, () => session.renew());
  let isAnswered = false;
  const next = session.run('echo $x').finally(() => (isAnswered = true));
  await delay(1_000);
  expect(isAnswered).toBe(false);
  controller.abort();
  expect(await running).toBeInstanceOf(ExecutionCancelled);
  expect((await next).stdout).toBe('1\n');
}, 300_000);

test('an interrupted call that waits does not begin', async () => {
  await using session = open();
  await session.run('x=1');
  const running = session.run('sleep 3');
  const controller = new AbortController();
  const waiting = session.run('x=2', { signal: controller.signal });
  await eventually(
    () => session.status(),
    (status) => status.waiting === 1,
  );
  controller.abort();
  await expect(waiting).rejects.toThrow(/cancelled/);
  await running;
  expect((await session.run('echo $x')).stdout).toBe('1\n');
});
