import { Readable } from 'node:stream';
import { eventually } from '../support/eventually';
import { closeEngine, destroySandboxes, KEPT, RESTORED, SessionSandbox } from '../support/session-sandbox';

afterEach(destroySandboxes);
afterAll(closeEngine);

test('variables, imports, functions, files, folder, environment and random numbers live on', async () => {
  const session = await SessionSandbox.boot('python');
  const outcome = await session.call(
    [
      'import os, math, random, sys',
      'x = [1]',
      'def double(n): return 2 * n + len(x)',
      'class Point: y = 3',
      'open("f", "w").write("kept")',
      'os.mkdir("d"); os.chdir("d"); os.environ["LEFT"] = "1"; sys.path.append("/nowhere")',
      'random.seed(7); first = random.random()',
    ].join('\n'),
  );
  expect(outcome).toMatchObject(KEPT);
  const look = [
    'x.append(double(math.floor(2.5)))',
    'result = [x, Point.y, open("../f").read(), os.getcwd(), os.environ["LEFT"], sys.path[-1], random.random()]',
  ].join('\n');
  const again = await SessionSandbox.boot('python');
  const expected = await again.result('import random\nrandom.seed(7); random.random()\nrandom.random()');
  expect(await session.result(look)).toEqual([[1, 5], 3, 'kept', '/sandbox/d', '1', '/nowhere', expected]);
  expect(await session.result('len(x)')).toBe(2);
});

test('each call has its own output, inputs, stdin and result', async () => {
  const session = await SessionSandbox.boot('python');
  const first = await session.call({
    code: 'print(input()); result = n',
    inputJson: '{"n":1,"m":2}',
    stdin: 'one\nmore',
  });
  expect(first).toMatchObject({ ...KEPT, stdout: 'one\n', resultJson: '1' });
  const second = await session.call({
    code: 'print(input()); [n, m, inputs, result]',
    inputJson: '{"n":3}',
    stdin: 'two',
  });
  expect(second).toMatchObject({ ...KEPT, stdout: 'two\n', resultJson: '[3,2,{"n":3},1]' });
  const third = await session.call('import sys\nprint("out"); print("err", file=sys.stderr)\nsys.stdin.read()');
  expect(third).toMatchObject({ ...KEPT, stdout: 'out\n', stderr: 'err\n', resultJson: '""' });
  const file = { sandboxPath: 'in.txt', size: 2, open: async () => Readable.from([Buffer.from('hi')]) };
  expect(await session.result({ code: 'open("in.txt").read()', files: [file] })).toBe('hi');
  const other = { ...file, open: async () => Readable.from([Buffer.from('ho')]) };
  expect(await session.result({ code: 'open("in.txt").read()', files: [other] })).toBe('ho');
});

test.each([
  ['result = 5', '5'],
  ['None', 'null'],
  ['x = 1', undefined],
  ['result = 5\n6', '5'],
  ['result', '4'],
  ['def f():\n  global result\n  result = [1]\nf()', '[1]'],
  ['result += 0', '4'],
  ['raise ValueError', undefined],
  ['result = 9\nraise SystemExit(3)', '9'],
  ['del result\n7', '7'],
  ['import asyncio\nawait asyncio.sleep(0.01)\nresult', '4'],
])('after a result of 4, %j has the result %s', async (code, expected) => {
  const session = await SessionSandbox.boot('python');
  await session.call('result = 4');
  expect((await session.call(code)).resultJson).toBe(expected);
});

test('a call that fails, exits or does not parse costs nothing', async () => {
  const session = await SessionSandbox.boot('python');
  await session.call('x = 1\ndef fail():\n    return 1 / 0');
  expect(await session.call('x = 2\nraise SystemExit(3)')).toMatchObject({ exitCode: 3, session: { state: 'kept' } });
  expect(await session.call('x = 3\nexit("bye")')).toMatchObject({ exitCode: 1, stderr: 'bye\n' });
  expect(await session.call('x = 4\n1 +')).toMatchObject({ error: { code: 'SYNTAX_ERROR', line: 2 } });
  const failed = await session.call('x += 1\n\nfail()');
  expect(failed.error).toMatchObject({ type: 'ZeroDivisionError', line: 3 });
  expect(failed.stderr).toBe(
    [
      'Traceback (most recent call last):',
      '  File "<code 5>", line 3, in <module>',
      '    fail()',
      '  File "<code>", line 3, in fail',
      '    return 1 / 0',
      '           ~~^~~',
      'ZeroDivisionError: division by zero',
      '',
    ].join('\n'),
  );
  expect(await session.result('x')).toBe(4);
});

const HANG = 'x = "changed"\nopen("left", "w")\nimport subprocess\nsubprocess.Popen(["sleep", "300"])\n';
test.each([
  ['runs too long', `${HANG}while True: pass`, { signal: 'SIGKILL', error: { code: 'TIMEOUT' } }],
  ['calls os._exit', `${HANG}import os\nos._exit(0)`, { exitCode: 0 }],
  ['is another program', `${HANG}import os\nos.execv("/bin/sh", ["sh", "-c", "exit 4"])`, { exitCode: 4 }],
  ['crashes', `${HANG}import ctypes\nctypes.string_at(0)`, { signal: 'SIGSEGV', error: { code: 'KILLED' } }],
  ['kills itself', `${HANG}import os\nos.kill(os.getpid(), 9)`, { signal: 'SIGKILL' }],
  ['needs too much memory', `${HANG}big = bytearray(1 << 30)`, { error: { code: 'MEMORY_LIMIT' } }],
  ['closes what it did not open', `${HANG}import os\nos.closerange(3, 999)`, {}],
  [
    'is a fork bomb',
    `${HANG}import os\nwhile True:\n  try: os.fork()\n  except OSError: pass`,
    { error: { code: 'TIMEOUT' } },
  ],
  ['forges a report', `${HANG}import os, time\nos.write(100, b"nonsense")\ntime.sleep(60)`, { signal: 'SIGKILL' }],
])('a call that %s leaves the state as it was before', async (_, code, expected) => {
  const session = await SessionSandbox.boot('python');
  await session.call('import random\nrandom.seed(1)\nx = {"kept": random.random()}\nnext_one = random.getstate()');
  const killed = await session.call({ code, timeoutMs: 1_500 });
  expect(killed).toMatchObject({ ...expected, ...RESTORED, collectable: true });
  expect(await session.result('[list(x), random.getstate() == next_one]')).toEqual([['kept'], true]);
  // And once more: the copy that was woken has left another one.
  await session.call('x["more"] = 1');
  expect(await session.call({ code, timeoutMs: 1_500 })).toMatchObject({ ...expected, ...RESTORED });
  expect(await session.result('list(x)')).toEqual(['kept', 'more']);
});

test('the first call may be killed, too', async () => {
  const session = await SessionSandbox.boot('python');
  const killed = await session.call({ code: 'print("up")\nwhile True: pass', timeoutMs: 1_000 });
  expect(killed).toMatchObject({ ...RESTORED, stdout: 'up\n' });
  expect(await session.call('"x" in globals()')).toMatchObject({ ...KEPT, resultJson: 'false' });
});

const THREAD = 'import threading, time\nx = 1\nthreading.Thread(target=time.sleep, args=[300], daemon=True).start()';

test('a session with threads is interrupted, and keeps what its call came to', async () => {
  const session = await SessionSandbox.boot('python');
  await session.call(THREAD);
  const stopped = await session.call({ code: 'x = 2\nwhile True: time.sleep(0.01)', timeoutMs: 1_000 });
  expect(stopped).toMatchObject({ error: { code: 'TIMEOUT' }, session: { state: 'kept' }, resultJson: undefined });
  expect(await session.result('[x, threading.active_count()]')).toEqual([2, 2]);
});

test('a session with threads that cannot be interrupted begins anew, and says so', async () => {
  const session = await SessionSandbox.boot('python');
  await session.call(THREAD);
  const code = 'import os\nwhile True:\n  try: time.sleep(60)\n  except KeyboardInterrupt: pass';
  const killed = await session.call({ code, timeoutMs: 1_000 });
  expect(killed).toMatchObject({ error: { code: 'TIMEOUT' }, session: { state: 'empty', background: 0 } });
  expect(await session.call('"x" in globals()')).toMatchObject({ ...KEPT, resultJson: 'false' });
  await session.call(THREAD);
  expect(await session.call('os._exit(0)')).toMatchObject({ error: { type: 'NameError' } });
  expect(await session.call('import os\nos._exit(0)')).toMatchObject({ session: { state: 'empty' } });
});

test('background work goes on, is counted, says what it says in the next call, and outlives a timeout', async () => {
  const session = await SessionSandbox.boot('python');
  const started = await session.call(
    'import subprocess\np = subprocess.Popen(["sh", "-c", "sleep 0.3; echo later; while sleep 0.1; do :; done"])',
  );
  expect(started.session).toMatchObject({ state: 'kept' });
  expect(started.session?.background).toBeGreaterThanOrEqual(1);
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(await session.call('p.poll()')).toMatchObject({ stdout: 'later\n', resultJson: 'null' });
  const killed = await session.call({ code: 'subprocess.run(["sleep", "300"])', timeoutMs: 700 });
  expect(killed.session?.state).toBe('restored');
  expect(await session.result('import os\nos.kill(p.pid, 0)')).toBeNull();
  expect(await session.call('os.kill(p.pid, 9)')).toMatchObject({ error: undefined });
  await eventually(
    async () => (await session.call('1')).session,
    (state) => state?.background === 0,
  );
});

test('a program of an earlier call can be talked to, although copies sleep', async () => {
  const session = await SessionSandbox.boot('python');
  await session.call('import subprocess\np = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)');
  await session.call('x = 1');
  expect(await session.result('p.communicate(b"hello")[0].decode()')).toBe('hello');
  expect(await session.result('p.returncode')).toBe(0);
});

test('it goes back to a state that is kept, and to no other', async () => {
  const session = await SessionSandbox.boot('python');
  for (let call = 1; call <= 12; call += 1) await session.call(`x = ${call}`);
  expect(await session.next(2)).toBe(false);
  expect(await session.result('x')).toBe(12);
  expect(await session.next(8)).toBe(true);
  expect(await session.result('x')).toBe(8);
  expect(await session.next(10)).toBe(false);
  expect(await session.result('x += 100\nx')).toBe(108);
  expect(await session.next(8)).toBe(true);
  expect(await session.result('x')).toBe(8);
  const killed = await session.call('import os\nx = 0\nos._exit(1)');
  expect(killed).toMatchObject(RESTORED);
  expect(await session.result('x')).toBe(8);
});

test('it goes back to where nothing was', async () => {
  const session = await SessionSandbox.boot('python');
  await session.call('x = 1');
  await session.call('x = 2');
  expect(await session.next(0)).toBe(true);
  expect(await session.result('"x" in globals()')).toBe(false);
});

test('an interpreter that dies between two calls comes back as it was', async () => {
  const session = await SessionSandbox.boot('python');
  await session.call('x = 1');
  await session.call(
    'import subprocess, os\nx = 2\nsubprocess.Popen(["sh", "-c", f"sleep 0.3; kill -9 {os.getpid()}"])',
  );
  await new Promise((resolve) => setTimeout(resolve, 800));
  expect(await session.call('x')).toMatchObject({ ...KEPT, resultJson: '2', warnings: [] });
});

test('states that are kept do not take the memory that calls need', async () => {
  const session = await SessionSandbox.boot('python');
  for (let call = 1; call <= 12; call += 1) {
    const outcome = await session.call(`x = b"${call % 10}" * 30_000_000\nlen(x)`);
    expect(outcome).toMatchObject({ ...KEPT, resultJson: '30000000' });
  }
  expect(await session.next(11)).toBe(true);
  expect(await session.result('x[:1].decode()')).toBe('1');
});

test('figures of a call do not come again', async () => {
  const session = await SessionSandbox.boot('python');
  const draw = 'import matplotlib.pyplot as plt\nplt.plot([1, 2])';
  expect((await session.call({ code: draw, saveFigures: true })).figures).toEqual(['figure-1.png']);
  expect((await session.call({ code: '1', saveFigures: true })).figures).toEqual([]);
});
