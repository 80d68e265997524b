import { randomUUID } from 'node:crypto';
import { HourglassError, type SessionOptions } from '../../src/contract';
import type { HourglassSession } from '../../src/client';
import { DurableSetup } from '../support/durable';
import { eventually } from '../support/eventually';
import type { TestWorker } from '../support/test-worker';

let setup: DurableSetup;
let worker: TestWorker;

beforeAll(async () => {
  setup = await DurableSetup.open({ HOURGLASS_MAX_SESSIONS_PER_TENANT: '3' });
  worker = await setup.worker();
});

afterAll(async () => {
  await worker.stop();
  await setup.close();
});

/** A session of a tenant of its own. */
function open(options: Partial<SessionOptions> = {}): HourglassSession {
  const userId = `user-${randomUUID()}`;
  return setup.hourglass.session({ sessionId: 'mine', language: 'python', userId, ...options });
}

async function failureOf(work: Promise<unknown>): Promise<HourglassError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof HourglassError) return error;
  throw new Error(`expected a HourglassError, got ${String(error)}`);
}

describe('calls of one session', () => {
  test('find the state that those before have left', async () => {
    await using session = open();
    const first = await session.run('data = [1, 2, 3, 4, 5]');
    expect(first).toMatchObject({
      success: true,
      metadata: { session: { sessionId: 'mine', call: 1, state: 'kept' } },
    });
    const second = await session.run('result = sum(data) / len(data)');
    expect(second).toMatchObject({
      success: true,
      result: 3,
      metadata: { startKind: 'session', sandboxId: first.metadata.sandboxId, session: { call: 2 } },
    });
    expect(await session.status()).toMatchObject({ phase: 'idle', calls: 2, waiting: 0 });
  });

  test('run in the order in which the client made them, one at a time', async () => {
    await using session = open();
    const codes = Array.from({ length: 8 }, (_, n) =>
      n === 0 ? 'import time\nseen = [0]\ntime.sleep(0.5)' : `seen.append(${n})\nresult = seen`,
    );
    const results = await Promise.all(codes.map((code) => session.run(code)));
    expect(results.at(-1)?.result).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('go on after one that fails, exits or does not parse', async () => {
    await using session = open();
    await session.run('x = 1');
    const ends = [await session.run('x = 2\n1 / 0'), await session.run('exit(3)'), await session.run('if if')];
    expect(ends.map(({ error }) => error?.code)).toEqual(['RUNTIME_ERROR', 'RUNTIME_ERROR', 'SYNTAX_ERROR']);
    expect((await session.run('result = x')).result).toBe(2);
  });

  test('that take too long leave the state as it was, and say so', async () => {
    await using session = open();
    await session.run('x = 1');
    const late = await session.run({ code: 'x = 2\nwhile True: pass', timeout: 1_000 });
    expect(late).toMatchObject({ error: { code: 'TIMEOUT' }, metadata: { session: { state: 'restored' } } });
    expect((await session.run('result = x')).result).toBe(1);
  });

  test('are interrupted without an end of the session', async () => {
    await using session = open();
    await session.run('x = 1');
    const controller = new AbortController();
    const running = session.run('import time\ntime.sleep(200)', { signal: controller.signal });
    await eventually(
      () => session.status(),
      ({ phase }) => phase === 'busy',
    );
    controller.abort();
    await expect(running).rejects.toThrow(/cancelled/);
    expect((await session.run('result = x')).result).toBe(1);
  });

  test('take files in and give them out', async () => {
    await using session = open();
    await session.files.upload('in/a.txt', 'one');
    await session.files.upload('in/a.txt', 'two');
    const read = await session.run('result = open("in/a.txt").read()\nopen("out.bin", "wb").write(bytes(range(256)))');
    expect(read.result).toBe('two');
    expect(await session.files.download('out.bin')).toEqual(Buffer.from(Array.from({ length: 256 }, (_, n) => n)));
    expect(await session.files.list()).toEqual({
      files: [
        { path: 'in/a.txt', size: 3 },
        { path: 'out.bin', size: 256 },
      ],
      truncated: false,
    });
    expect(await failureOf(session.files.download('none'))).toMatchObject({ code: 'INPUT_FILE_ERROR' });
  });
});

describe('a session', () => {
  test('that two clients open at the same time is one', async () => {
    const userId = `user-${randomUUID()}`;
    const sessions = Array.from({ length: 4 }, () => open({ userId }));
    const results = await Promise.all(sessions.map((session, n) => session.run(`v${n} = ${n}`)));
    expect(new Set(results.map(({ metadata }) => metadata.sandboxId)).size).toBe(1);
    expect((await sessions[0]?.run('result = v0 + v1 + v2 + v3'))?.result).toBe(6);
    await sessions[0]?.close();
  });

  test('of another user with the same id is another one', async () => {
    await using mine = open();
    await using theirs = open();
    await mine.run('secret = 1');
    expect((await theirs.run('result = "secret" in globals()')).result).toBe(false);
  });

  test('has one language', async () => {
    const userId = `user-${randomUUID()}`;
    await using session = open({ userId });
    await session.run('x = 1');
    const other = open({ userId, language: 'shell' });
    const failure = await failureOf(other.run('x=1'));
    expect(failure).toMatchObject({
      code: 'SESSION_MISMATCH',
      message: 'Session language mismatch: session is python, requested shell',
    });
  });

  test('ends when it is closed, and its id opens an empty one', async () => {
    const userId = `user-${randomUUID()}`;
    const session = open({ userId });
    await session.run('x = 1');
    await session.close();
    expect(await setup.place.containers()).toEqual([]);
    expect(await failureOf(session.run('result = x'))).toMatchObject({ code: 'SESSION_CLOSED' });
    await session.close();
    await using next = open({ userId });
    expect((await next.run('result = "x" in globals()')).result).toBe(false);
  });

  test('ends by itself when nobody uses it', async () => {
    const session = open({ idleTtlMs: 2_000 });
    await session.run('x = 1');
    await eventually(
      () => setup.client.workflow.getHandle(session.workflowId).describe(),
      ({ status }) => status.name === 'COMPLETED',
    );
    expect(await setup.place.containers()).toEqual([]);
    expect(await failureOf(session.run('x'))).toMatchObject({ code: 'SESSION_CLOSED' });
  });

  test('whose workflow is terminated loses its sandbox', async () => {
    const session = open();
    await session.run('x = 1');
    await setup.client.workflow.getHandle(session.workflowId).terminate();
    await eventually(
      () => setup.place.containers(),
      (names) => names.length === 0,
    );
  });

  test('whose workflow is cancelled loses its sandbox before the workflow closes', async () => {
    const session = open();
    await session.run('x = 1');
    const handle = setup.client.workflow.getHandle(session.workflowId);
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect(await setup.place.containers()).toEqual([]);
  });

  test('is refused where the tenant has as many as it may have', async () => {
    const userId = `user-${randomUUID()}`;
    const sessions = Array.from({ length: 4 }, (_, n) => open({ userId, sessionId: `s${n}` }));
    for (const session of sessions.slice(0, 3)) await session.run('1');
    expect(await failureOf(sessions[3]?.run('1') ?? Promise.resolve())).toMatchObject({ code: 'SESSION_LIMIT' });
    for (const session of sessions.slice(0, 3)) await session.close();
  });

  test('that could not be opened is opened by the next call, and what has failed before is not run', async () => {
    const userId = `user-${randomUUID()}`;
    const sessions = Array.from({ length: 3 }, (_, n) => open({ userId, sessionId: `s${n}` }));
    for (const session of sessions) await session.run('1');
    await using refused = open({ userId, sessionId: 'refused' });
    const failures = await Promise.all(['x = 1', 'y = 2'].map((code) => failureOf(refused.run(code))));
    expect(failures.map(({ code }) => code)).toEqual(['SESSION_LIMIT', 'SESSION_CLOSED']);
    expect(refused.hasAnswered).toBe(false);
    for (const session of sessions) await session.close();
    expect(await refused.run('result = sorted({"x", "y"} & set(globals()))')).toMatchObject({
      result: [],
      metadata: { session: { call: 1 } },
    });
    expect(refused.hasAnswered).toBe(true);
  });

  test('of another language keeps nobody from opening one of the same id when it has ended', async () => {
    const userId = `user-${randomUUID()}`;
    const session = open({ userId });
    await session.run('x = 1');
    await using other = open({ userId, language: 'shell' });
    expect(await failureOf(other.run('echo'))).toMatchObject({ code: 'SESSION_MISMATCH' });
    await session.close();
    expect((await other.run('echo hi')).stdout).toBe('hi\n');
  });

  test('whose sandbox is gone says so and ends, where nothing else is asked for', async () => {
    const session = open();
    const { metadata } = await session.run('x = 1');
    await setup.place.removeContainer(metadata.sandboxId);
    expect(await failureOf(session.run('result = x'))).toMatchObject({ code: 'SESSION_LOST' });
    expect(await failureOf(session.run('result = x'))).toMatchObject({ code: 'SESSION_CLOSED' });
  });

  test('whose sandbox is gone goes on with an empty one and says so, where it may', async () => {
    await using session = open({ onLost: 'recreate' });
    const { metadata } = await session.run('x = 1');
    await setup.place.removeContainer(metadata.sandboxId);
    const failure = await session.run('result = "x" in globals()').catch((error: unknown) => error);
    const next = failure instanceof HourglassError ? await session.run('result = "x" in globals()') : failure;
    expect(next).toMatchObject({ result: false, metadata: { session: { call: 1, recreated: true } } });
    expect((await session.run('result = 2')).metadata.session?.recreated).toBeUndefined();
  });

  test('is shown in the words of its status', async () => {
    await using session = open({ label: 'look' });
    await session.run('x = 1');
    const { phase, hostId, sandboxId, language } = await session.status();
    expect({ phase, language }).toEqual({ phase: 'idle', language: 'python' });
    expect([hostId, sandboxId].every((id) => typeof id === 'string')).toBe(true);
    expect(await session.renew(3_600_000)).toMatchObject({ phase: 'idle', calls: 1 });
  });
});
