import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Removal } from '../../src/cli/session/remove-sessions';
import type { SessionRow } from '../../src/cli/session/rows';
import { freePort } from '../../src/cli/temporal/ports';
import { executionResultSchema } from '../../src/contract';
import type { CommandEnd } from '../support/cli';
import { CliSetup } from '../support/cli-setup';
import { eventually } from '../support/eventually';
import { TerminalProcess } from '../support/pty';
import type { WorkerPlace } from '../support/test-worker';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

let setup: CliSetup;
let place: WorkerPlace;

beforeAll(async () => {
  setup = await CliSetup.open();
  ({ place } = setup);
});

afterAll(async () => {
  await setup?.close();
});

const command = (...argv: string[]): Promise<CommandEnd> => setup.command(...argv);
const pipe = (code: string, ...argv: string[]): Promise<CommandEnd> =>
  setup.start(['session', ...argv], { stdin: code }).ended;

async function list(): Promise<SessionRow[]> {
  const { stdout, exitCode } = await command('session', 'ls', '--json');
  expect(exitCode).toBe(0);
  return (JSON.parse(stdout) as { sessions: SessionRow[] }).sessions;
}

async function remove(...argv: string[]): Promise<{ exitCode: number | null; ends: Removal[] }> {
  const { exitCode, stdout } = await command('session', 'rm', '--json', ...argv);
  return { exitCode, ends: JSON.parse(stdout) as Removal[] };
}

describe('without a worker', () => {
  test('programs that come by stdin find the state of those before, and the session outlives the worker of each', async () => {
    const first = await pipe('x = 6', 'mine', '-l', 'python');
    expect(first).toMatchObject({ exitCode: 0, stdout: '' });
    expect(first.stderr).toContain('one in this process, for this session');
    expect(first.stderr).toMatch(/session mine stays for .*hourglass session rm mine/);
    const [sandbox] = await place.containers();
    expect(sandbox).toBeDefined();
    const second = await pipe('print(x * 7)', 'mine');
    expect(second).toMatchObject({ exitCode: 0, stdout: '42\n' });
    expect(await place.containers()).toEqual([sandbox]);
  });

  test('the exit code is the program’s own, and --json prints the result', async () => {
    expect(await pipe('import sys; sys.exit(3)', 'mine')).toMatchObject({ exitCode: 3 });
    const end = await pipe('x + 1', 'mine', '--json');
    expect(executionResultSchema.parse(JSON.parse(end.stdout))).toMatchObject({
      result: 7,
      metadata: { session: { sessionId: 'mine', state: 'kept' } },
    });
    expect(end.exitCode).toBe(0);
  });

  test('a session is listed as one that nobody answers for', async () => {
    expect(await list()).toMatchObject([{ sessionId: 'mine', tenant: { workspaceId: 'default', userId: 'default' } }]);
    expect((await command('session', 'ls')).stdout).toMatch(/no answer +mine +default\/default/);
  });

  test('clean leaves its sandbox alone', async () => {
    const before = await place.containers();
    expect(await command('clean', '--json')).toMatchObject({ exitCode: 0 });
    expect(await place.containers()).toEqual(before);
    expect((await pipe('print(x)', 'mine')).stdout).toBe('6\n');
  });
});

describe('with a worker', () => {
  beforeAll(() => setup.worker());

  test('the session is listed with what it says of itself, and is no execution', async () => {
    expect((await pipe('print(x)', 'mine')).stdout).toBe('6\n');
    const [row] = await list();
    expect(row).toMatchObject({ sessionId: 'mine', status: { phase: 'idle', language: 'python' } });
    expect(Date.parse(row?.endsAt ?? '')).toBeGreaterThan(Date.now());
    expect((await command('session', 'ls')).stdout).toMatch(/idle +mine +default\/default +python +\d+ /);
    const { stdout } = await command('ls', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ executions: [], unlisted: [] });
    const cancelled = await command('cancel', '--json', 'session/default/default/mine');
    expect([cancelled.exitCode, JSON.parse(cancelled.stdout)]).toMatchObject([1, [{ status: 'session' }]]);
  });

  test('another language is refused, another tenant has another session', async () => {
    expect(await pipe('echo hi', 'mine', '-l', 'shell')).toMatchObject({
      exitCode: 65,
      stderr: expect.stringContaining('session is python, requested shell') as string,
    });
    expect(await pipe('echo hi', 'mine', '-l', 'shell', '--user-id', 'ada')).toMatchObject({
      exitCode: 0,
      stdout: 'hi\n',
    });
    expect(await remove('mine', '--user-id', 'ada')).toMatchObject({ exitCode: 0, ends: [{ status: 'closed' }] });
  });

  test('a program too large for a request goes by way of the workspace', async () => {
    const end = await pipe(`text = "${'x'.repeat(600_000)}"\nprint(len(text))`, 'mine');
    expect(end).toMatchObject({ exitCode: 0, stdout: '600000\n' });
    expect(await place.files()).toEqual([]);
  });

  test('a prompt takes blocks and pastes, ends a program at Ctrl-C, moves files and leaves the session', async () => {
    const prompt = new TerminalProcess(place, 'session', 'typed', '-l', 'python');
    await prompt.shows('typed> ');
    prompt.type('def double(n):\r');
    await prompt.shows('.....> ');
    prompt.type('    return 2 * n\r');
    await prompt.shows('.....> ');
    prompt.type('\r');
    await prompt.shows('typed> ');
    prompt.type('double(21)\r');
    await prompt.shows('\n42\n');
    prompt.type('values = [\r  1,\r  2,\r]\rsum(values)\r');
    await prompt.shows('\n3\n');
    prompt.type('1 / 0\r');
    await prompt.shows('✘ RUNTIME_ERROR ZeroDivisionError');
    prompt.type('print("be" + "gun", flush=True); import time; time.sleep(100)\r');
    await prompt.shows('begun');
    prompt.type(CTRL_C);
    await prompt.shows('interrupted; the session goes on');
    prompt.type('double(4)\r');
    await prompt.shows('\n8\n');
    writeFileSync(join(place.dir, 'local.txt'), 'from here');
    prompt.type('.upload local.txt in/there.txt\r');
    await prompt.shows('in/there.txt  9 B');
    prompt.type('open("in/there.txt").read()\r');
    await prompt.shows('"from here"');
    prompt.type('.download in/there.txt back.txt\r');
    await prompt.shows('back.txt  9 B');
    expect(readFileSync(join(place.dir, 'back.txt'), 'utf8')).toBe('from here');
    prompt.type(CTRL_C);
    await prompt.shows('Ctrl-D leaves');
    prompt.type(CTRL_D);
    await prompt.shows('session typed stays for');
    expect(await prompt.ended).toBe(0);
    const history = join(place.dir, 'state', 'session-history-python');
    expect(readFileSync(history, 'utf8')).toContain('double(21)\n');
    expect(statSync(history).mode & 0o777).toBe(0o600);
    expect((await pipe('print(double(5))', 'typed')).stdout).toBe('10\n');
  });

  test('.close at a prompt ends the session', async () => {
    const prompt = new TerminalProcess(place, 'session', 'typed');
    await prompt.shows('typed> ');
    prompt.type('.close\r');
    await prompt.shows('session typed has ended');
    expect(await prompt.ended).toBe(0);
    expect((await list()).map(({ sessionId }) => sessionId)).toEqual(['mine']);
  });

  test('a session whose sandbox is gone is said to be lost, and its name opens an empty one', async () => {
    const [row] = await list();
    await place.removeContainer(row?.status?.sandboxId ?? '');
    const lost = await pipe('print(x)', 'mine');
    expect(lost).toMatchObject({ exitCode: 75, stdout: '' });
    expect(lost.stderr).toMatch(/SESSION_LOST: session mine is gone, and with it its variables/);
    expect((await pipe('print("x" in globals())', 'mine')).stdout).toBe('False\n');
  });

  test('a prompt whose session is closed elsewhere ends and says so', async () => {
    const prompt = new TerminalProcess(place, 'session', 'elsewhere', '-l', 'shell');
    await prompt.shows('elsewhere> ');
    prompt.type('x=1; echo "x is $x"\r');
    await prompt.shows('\nx is 1\n');
    expect(await remove('elsewhere')).toMatchObject({ exitCode: 0 });
    prompt.type('echo $x\r');
    await prompt.shows('SESSION_CLOSED');
    expect(await prompt.ended).toBe(66);
  });

  test('rm says of each name what became of it, and leaves no sandbox', async () => {
    expect(await remove('mine', 'nobody', 'mine')).toMatchObject({
      exitCode: 1,
      ends: [
        { name: 'mine', status: 'closed' },
        { name: 'nobody', status: 'not-found' },
      ],
    });
    expect(await remove('mine')).toMatchObject({ exitCode: 0, ends: [{ status: 'already-ended' }] });
    await eventually(
      () => place.containers(),
      (names) => names.length === 0,
    );
    expect((await command('session', 'ls')).stdout).toBe('No open sessions.\n');
  });
});

test.each([
  ['ls', ['session', 'ls']],
  ['rm', ['session', 'rm', 'mine']],
])('without a server %s says so, starts none and exits with 69', async (_, argv) => {
  const address = `127.0.0.1:${await freePort()}`;
  const end = await setup.start([...argv, '--json'], { settings: { TEMPORAL_ADDRESS: address } }).ended;
  expect(end.exitCode).toBe(69);
  expect(JSON.parse(end.stdout)).toMatchObject({ failure: { code: 'UNAVAILABLE' } });
});
