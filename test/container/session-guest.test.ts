import { isDeepStrictEqual } from 'node:util';
import { LeaveRunning } from '../../src/runner';
import { eventually } from '../support/eventually';
import { closeEngine, destroySandboxes, KEPT, MAX_OUTPUT, SessionSandbox } from '../support/session-sandbox';

afterEach(destroySandboxes);
afterAll(closeEngine);

test.each(['python', 'shell'] as const)('%s: output is bounded call by call, between calls too', async (language) => {
  const session = await SessionSandbox.boot(language);
  const flood = 'for i in $(seq 30000); do echo "line $i"; done';
  const code = {
    shell: `(sleep 0.2; ${flood}) & true`,
    python: `import subprocess\nsubprocess.Popen(["sh", "-c", """sleep 0.2; ${flood}"""])\n0`,
  };
  expect(await session.call(code[language])).toMatchObject({ stdout: '' });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const next = await session.call('result=1');
  expect(next.stdoutBytes).toBe(318_894);
  expect(Buffer.byteLength(next.stdout)).toBeLessThanOrEqual(MAX_OUTPUT);
  expect(next.stdout).toMatch(/^line 1\n[^]*truncated[^]*line 30000\n$/);
  expect(await session.call('result=1')).toMatchObject({ stdout: '', stdoutBytes: 0 });
});

test.each(['python', 'shell'] as const)('%s: another host takes over between calls and goes on', async (language) => {
  const first = await SessionSandbox.boot(language);
  await first.call('x=1');
  const ended = await first.takeOver();
  expect(ended.state).toMatchObject({ state: 'ended', call: 1 });
  expect(await ended.taken.resume({ ranMs: 0, hasEnded: true })).toMatchObject(KEPT);
  await ended.taken.next();
  const idle = await ended.taken.takeOver();
  expect(idle.state).toMatchObject({ state: 'idle', call: 1, executionId: null });
  expect(await idle.taken.result(language === 'shell' ? 'echo "$x"' : 'str(x)')).toBe('1');
});

test.each([
  ['python', 'import time\nprint("begin")\ntime.sleep(1.5)\nresult = x + 1'],
  ['shell', 'echo begin; sleep 1.5; result=$((x + 1))'],
] as const)('%s: another host takes over a call that runs', async (language, code) => {
  const first = await SessionSandbox.boot(language);
  await first.call('x=1');
  const gone = new AbortController();
  const onOutput = (): void => gone.abort(new LeaveRunning('test'));
  await expect(first.call(code, { onOutput }, gone.signal)).rejects.toBeInstanceOf(LeaveRunning);
  const { taken, state } = await first.takeOver();
  expect(state).toMatchObject({ state: 'running', call: 2 });
  const outcome = await taken.resume({ ranMs: state.elapsedMs ?? 0, hasEnded: false });
  expect(outcome).toMatchObject({ ...KEPT, stdout: 'begin\n', resultJson: '2' });
  expect(await taken.result('result=5')).toBe(5);
});

test.each(['python', 'shell'] as const)(
  '%s: two hundred calls leave no process and no descriptor behind',
  async (language) => {
    const session = await SessionSandbox.boot(language);
    const use = { code: 'x=1', stdin: 'some' };
    for (let call = 0; call < 20; call += 1) await session.call(use);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const before = await session.size();
    for (let call = 0; call < 200; call += 1) await session.call(use);
    // The last copy may be on its way.
    await eventually(
      () => session.size(),
      (size) => isDeepStrictEqual(size, before),
    );
  },
);

test('a session stays one, and a run is none', async () => {
  const session = await SessionSandbox.boot('shell');
  await session.call('true');
  await session.next();
  await expect(session.call({ code: 'true', session: undefined })).rejects.toMatchObject({
    message: expect.stringContaining('RUN without a session') as string,
  });
  const other = await SessionSandbox.boot('shell');
  await other.call('true');
  await expect(other.channel.reset(10_000, new AbortController().signal)).rejects.toMatchObject({
    message: expect.stringContaining('of a session') as string,
  });
  const third = await SessionSandbox.boot('shell');
  await third.call({ code: 'true', session: undefined });
  await expect(third.next()).rejects.toMatchObject({ message: expect.stringContaining('NEXT before') as string });
});
