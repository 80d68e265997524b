import { randomUUID } from 'node:crypto';
import type { HourglassSession } from '../../src/client';
import type { Language, SessionOptions } from '../../src/contract';
import { rollbackUpdate } from '../../workflows/session/messages';
import { DurableSetup } from '../support/durable';
import { keptContents } from '../support/kept-contents';
import type { TestWorker } from '../support/test-worker';

let setup: DurableSetup;
let worker: TestWorker;
let userId: string;

beforeAll(async () => {
  setup = await DurableSetup.open();
  worker = await setup.worker();
});

afterAll(async () => {
  await worker.stop();
  await setup.close();
});

/** A session of a tenant of its own. */
function open(options: Partial<SessionOptions> = {}): HourglassSession {
  userId = `user-${randomUUID()}`;
  return setup.hourglass.session({ sessionId: 'mine', language: 'python', userId, ...options });
}

/** Programs that set `x` and write it into `f`, that tell both, and that change a file only. */
const PROGRAMS: Readonly<Record<'python' | 'shell', { set: (n: number) => string; tell: string }>> = {
  python: {
    set: (n) => `x = ${n}; print(open("f", "w").write(str(x)))`,
    tell: 'import os\nresult = [globals().get("x"), open("f").read() if os.path.exists("f") else None]',
  },
  shell: {
    set: (n) => `x=${n}; printf %s "$x" > f`,
    tell: 'result=("$x" "$(cat f 2>/dev/null)")',
  },
};

test.each(['python', 'shell'] as const)(
  '%s: variables and files go back together, and later calls are gone',
  async (language) => {
    const session = open({ language });
    const { set, tell } = PROGRAMS[language];
    const nothing = language === 'python' ? [null, null] : ['', ''];
    const state = (n: number): unknown => (language === 'python' ? [n, String(n)] : [n, n]);
    for (const n of [1, 2, 3]) await session.run(set(n));
    await session.rollback(1);
    expect(await session.run(tell)).toMatchObject({ result: state(1), metadata: { session: { call: 4 } } });
    await expect(session.rollback(2)).rejects.toMatchObject({ code: 'ROLLBACK_REFUSED' });
    // What was refused has changed nothing.
    expect((await session.run(tell)).result).toEqual(state(1));
    await session.rollback(4);
    expect((await session.run(tell)).result).toEqual(state(1));
    await session.rollback(0);
    expect((await session.files.list()).files).toEqual([]);
    expect((await session.run(tell)).result).toEqual(nothing);
    await session.close();
    expect(keptContents(setup.place, userId)).toEqual([]);
  },
);

test('calls take their turn with rollbacks, and a rollback that is asked for again is answered once', async () => {
  const session = open();
  const { set, tell } = PROGRAMS.python;
  const all = [session.run(set(1)), session.run(set(2)), session.rollback(1), session.run(tell)];
  expect((await Promise.all(all)).at(-1)).toMatchObject({ result: [1, '1'] });
  await session.run(set(5));
  const handle = setup.client.workflow.getHandle(session.workflowId);
  const ask = (number: number, call: number): Promise<null> =>
    handle.executeUpdate(rollbackUpdate, { args: [{ client: 'other', number }, { call }], updateId: randomUUID() });
  await ask(1, 1);
  await session.run(set(7));
  await ask(1, 1);
  expect((await session.run(tell)).result).toEqual([7, '7']);
  await session.close();
});

test('what cannot be true is refused by name', async () => {
  const refusal = (session: HourglassSession, call: number): Promise<string> =>
    session.rollback(call).then(
      () => 'done',
      ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
    );
  const session = open({ keepCalls: 2 });
  await session.run('import os\nos.symlink("/", "link")');
  await session.run('os.remove("link")\nx = 1');
  expect(await refusal(session, 1)).toMatch(/^ROLLBACK_REFUSED: .* 1 of its files were links/);
  await session.run('import subprocess\nchild = subprocess.Popen(["sleep", "100"])');
  expect(await refusal(session, 2)).toMatch(/^ROLLBACK_REFUSED: .* 1 process runs in the background/);
  await session.run('child.kill(); child.wait()');
  expect(await refusal(session, 1)).toMatch(/^ROLLBACK_REFUSED: .* not kept; those after calls 2, 3 and 4 are$/);
  expect(await refusal(session, 2)).toBe('done');
  expect((await session.run('result = [x, "child" in globals()]')).result).toEqual([1, false]);
  await session.close();
  const none = open({ language: 'javascript' satisfies Language });
  await none.run('x = 1');
  expect(await refusal(none, 0)).toMatch(/^ROLLBACK_REFUSED: .* open it with keepCalls/);
  await none.close();
});

test('JavaScript keeps files where it is asked to, and says that its variables do not go back', async () => {
  const session = open({ language: 'javascript', keepCalls: 3 });
  await session.run('const fs = require("fs"); fs.writeFileSync("f", "one")');
  await session.run('fs.writeFileSync("f", "two")');
  await expect(session.rollback(1)).rejects.toThrow(/variables of that call are not kept/);
  expect((await session.files.download('f')).toString()).toBe('two');
  await session.close();
});

test('a call that was killed can be taken back with the files that it has written', async () => {
  const session = open();
  await session.run('x = 1');
  const late = await session.run({ code: 'open("f", "w").write("late")\nwhile True: pass', timeout: 1_000 });
  expect(late).toMatchObject({ metadata: { session: { call: 2, state: 'restored' } } });
  await session.rollback(1);
  expect((await session.files.list()).files).toEqual([]);
  expect((await session.run('result = x')).result).toBe(1);
  await session.close();
});

test('what nobody has asked to be kept is not kept where it is large', async () => {
  const session = open();
  await session.run('open("large", "wb").write(bytes(17 << 20))');
  const { warnings } = await session.run('import os\nos.remove("large")');
  expect(warnings).toEqual([]);
  await expect(session.rollback(1)).rejects.toThrow(/not kept; those after calls 0 and 2 are/);
  await session.close();
});
