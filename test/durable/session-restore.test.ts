import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { HourglassSession } from '../../src/client';
import { HourglassError, type ExecutionResult, type SessionOptions } from '../../src/contract';
import { DurableSetup } from '../support/durable';
import { eventually } from '../support/eventually';
import { keptContents } from '../support/kept-contents';
import { TestWorker, WorkerPlace, type Settings } from '../support/test-worker';

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

interface Opened {
  readonly session: HourglassSession;
  /** What is kept of it. */
  readonly kept: () => string[];
}

/** A session of a tenant of its own. */
function open(options: Partial<SessionOptions> = {}): Opened {
  const userId = `user-${randomUUID()}`;
  const facts = { sessionId: 'mine', language: 'python', userId, onLost: 'restore', keepCalls: 0 } as const;
  const session = setup.hourglass.session({ ...facts, ...options });
  return { session, kept: () => keptContents(setup.place, userId) };
}

/** Removes the sandbox as somebody at the engine would; the call that meets the loss may fail by it, the next one does not. */
async function lose(session: HourglassSession, next: string): Promise<ExecutionResult> {
  const { sandboxId = '' } = await session.status();
  await setup.place.removeContainer(sandboxId);
  return afterLoss(session, next);
}

async function afterLoss(session: HourglassSession, next: string): Promise<ExecutionResult> {
  try {
    return await session.run(next);
  } catch (error) {
    if (!(error instanceof HourglassError) || error.code !== 'SESSION_LOST') throw error;
    return session.run(next);
  }
}

const LOOK = [
  'import os',
  'result = ["x" in globals(), {name: open(name).read() for name in ("f", "d/g")}, oct(os.stat("f").st_mode)[-3:], os.path.islink("link")]',
].join('\n');

test('a lost sandbox leaves its files to the next one, which says that its variables are gone', async () => {
  const { session, kept } = open();
  await session.run(
    'import os\nx = 1\nopen("f", "w").write("one"); os.mkdir("d"); os.symlink("f", "link"); os.chmod("f", 0o755)',
  );
  await session.files.upload('d/g', 'two');
  await session.run('x = 2');
  expect(await lose(session, LOOK)).toMatchObject({
    result: [false, { f: 'one', 'd/g': 'two' }, '755', false],
    metadata: { session: { call: 1, recreated: true, restored: { call: 2, files: 2, others: 1 } } },
  });
  expect((await session.run('result = 1')).metadata.session).toMatchObject({ call: 2, state: 'kept' });
  expect((await session.run('result = 1')).metadata.session?.restored).toBeUndefined();
  // Two files and one list of them: what was before is not kept any more.
  expect(kept()).toHaveLength(3);
  expect((await session.files.list()).files.map(({ path }) => path)).toEqual(['d/g', 'f']);
  await session.close();
  expect(kept()).toEqual([]);
});

test('what is as it was is kept once, and what nobody needs any more is not', async () => {
  const { session, kept } = open();
  await session.run('for n in range(5): open(f"f{n}", "w").write("same" if n < 4 else "other")');
  const before = kept();
  // Two contents, one list.
  expect(before).toHaveLength(3);
  await session.run('x = 1');
  expect(kept().sort()).toEqual(before.sort());
  await session.run('import os\nos.remove("f4"); open("f0", "w").write("new")');
  const after = kept();
  expect(after).toHaveLength(3);
  expect(after.filter((name) => before.includes(name))).toHaveLength(1);
  await session.close();
});

test('a session whose first sandbox is lost before a call has ended begins with nothing', async () => {
  const { session } = open();
  await expect(
    session.run('import os, signal\nos.kill(1, signal.SIGKILL)\nopen("f", "w").write("x")'),
  ).resolves.toBeDefined();
  const result = await lose(session, 'import os\nresult = sorted(os.listdir("."))');
  expect(result).toMatchObject({ metadata: { session: { recreated: true, restored: { files: 1 } } }, result: ['f'] });
  await session.close();
});

test('files that cannot be kept are said, and the call is none the worse', async () => {
  const { session } = open({ resourceLimits: { diskMb: 16 } });
  await session.run('open("small", "w").write("kept")');
  const large = await session.run('f = open("sparse", "wb"); f.truncate(17 << 20); f.close(); result = 1');
  expect(large).toMatchObject({ success: true, result: 1 });
  expect(large.warnings).toEqual([expect.stringMatching(/were not kept after this call: there are more/)]);
  expect(await lose(session, 'import os\nresult = os.listdir(".")')).toMatchObject({
    result: ['small'],
    metadata: { session: { restored: { call: 1, files: 1 } } },
  });
  await session.close();
});

test('a session whose workflow is terminated leaves no kept file', async () => {
  const { session, kept } = open();
  await session.run('open("f", "w").write("x")');
  expect(kept()).toHaveLength(2);
  await setup.client.workflow.getHandle(session.workflowId).terminate();
  await eventually(kept, (names) => names.length === 0);
});

test('files go to another host with their session', async () => {
  const { session, kept } = open();
  const { metadata } = await session.run('x = 1; open("f", "w").write("one")');
  await setup.place.removeContainer(metadata.sandboxId);
  await worker.stop();
  const place = (settings: Settings): WorkerPlace =>
    new WorkerPlace(setup.server.address, { ...setup.place.settings, ...settings });
  // Says that the session is lost, and has no room for another.
  worker = await TestWorker.start(place({ HOURGLASS_MAX_SESSIONS: '0' }).config);
  const there = await TestWorker.start(place({ HOURGLASS_STATE_DIR: join(setup.place.dir, 'other-state') }).config);
  const result = await session.run('result = ["x" in globals(), open("f").read()]');
  expect(result).toMatchObject({
    result: [false, 'one'],
    metadata: { session: { recreated: true, restored: { files: 1 } } },
  });
  expect(result.metadata.hostId).not.toBe(metadata.hostId);
  await session.close();
  await there.stop();
  expect(kept()).toEqual([]);
});
