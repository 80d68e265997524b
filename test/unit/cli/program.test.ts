import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute } from '../../../src/cli/program';
import { recordTerminal, type RecordedTerminal } from '../../support/terminal';

async function run(...argv: string[]): Promise<RecordedTerminal['text'] & { exitCode: number }> {
  const terminal = recordTerminal();
  const exitCode = await execute(argv, terminal);
  return { ...terminal.text, exitCode };
}

test('the help lists every command and every exit code', async () => {
  const { out, exitCode } = await run('--help');
  expect(exitCode).toBe(0);
  for (const word of [
    'run',
    'session',
    'ls',
    'cancel',
    'hosts',
    'drain',
    'clean',
    'dev',
    'worker',
    'config',
    '124',
    '130',
  ])
    expect(out).toContain(word);
});

test('the version is that of the package', async () => {
  expect((await run('--version')).out).toMatch(/^\d+\.\d+\.\d+/);
});

test.each([
  'run',
  'session',
  'session ls',
  'session rm',
  'ls',
  'cancel',
  'hosts',
  'drain',
  'clean',
  'dev',
  'worker',
  'setup',
  'config',
])('%s has --json', async (command) => {
  expect((await run(...command.split(' '), '--help')).out).toContain('--json');
});

test.each([
  ['an unknown command', ['bogus']],
  ['an unknown option', ['config', '--bogus']],
  ['a language that is none', ['run', 'x', '--language', 'cobol']],
  ['a duration that is none', ['run', 'x.py', '--timeout', 'soon']],
  ['no program', ['run']],
  ['a state that is none', ['ls', '--state', 'dreaming']],
  ['more rows than one question brings', ['ls', '--limit', '501']],
  ['nothing to cancel', ['cancel']],
  ['a session without a name', ['session']],
  ['a session of a language that is none', ['session', 'mine', '-l', 'cobol']],
  ['a session that is lost somehow', ['session', 'mine', '--on-lost', 'panic']],
  ['no session to end', ['session', 'rm']],
])('%s exits with 64 and says so on stderr', async (_title, argv) => {
  const { exitCode, out, err } = await run(...argv);
  expect(exitCode).toBe(64);
  expect(out).toBe('');
  expect(err).not.toBe('');
});

test('with --json a failure is one JSON object on stdout', async () => {
  const { out, exitCode } = await run('run', 'nowhere.py', '--json');
  expect(JSON.parse(out)).toMatchObject({ failure: { code: 'NO_INPUT', retryable: false } });
  expect(exitCode).toBe(66);
});

test('with --json wrong usage is one JSON object on stdout, too', async () => {
  const { out, err, exitCode } = await run('run', '--json', '--bogus');
  expect(JSON.parse(out)).toEqual({
    failure: { code: 'USAGE', message: "unknown option '--bogus'", retryable: false },
  });
  expect(err).toContain('--bogus');
  expect(exitCode).toBe(64);
});

describe('config', () => {
  let dir: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hourglass-cli-'));
  });

  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  function file(values: object): string {
    const path = join(dir, 'c.json');
    writeFileSync(path, JSON.stringify(values));
    return path;
  }

  test('prints every setting with its source', async () => {
    const { out } = await run('config', '--config', file({ HOURGLASS_PREWARM: ['shell'] }));
    expect(out).toMatch(/HOURGLASS_PREWARM +shell +file/);
    expect(out).toMatch(/CODE_SANDBOX_CPU_CORES +0\.5 cores +default/);
  });

  test('prints the same as JSON', async () => {
    const path = file({ CODE_SANDBOX_TIMEOUT_MS: 5000 });
    const { out } = await run('config', '--json', '--config', path);
    const report = JSON.parse(out) as { file: string; settings: { name: string }[] };
    expect(report.file).toBe(path);
    expect(report.settings).toContainEqual(
      expect.objectContaining({ name: 'CODE_SANDBOX_TIMEOUT_MS', value: 5000, source: 'file', unit: 'ms' }),
    );
  });

  test('that is not valid exits with 78 and names each problem', async () => {
    const { exitCode, err } = await run('config', '--config', file({ CODE_SANDBOX_TIMEOUT_MS: 'x', bogus: 1 }));
    expect(exitCode).toBe(78);
    expect(err).toContain('CODE_SANDBOX_TIMEOUT_MS="x" (file)');
    expect(err).toContain('bogus');
  });
});

describe('options of session', () => {
  test.each([
    ['a name that is none', ['session', '../mine']],
    ['a time that is too short', ['session', 'mine', '--idle', '1ms']],
    ['a name to end that is none', ['session', 'rm', 'a b']],
  ])('%s is a request that is not valid', async (_title, argv) => {
    const { exitCode, err } = await run(...argv);
    expect(exitCode).toBe(65);
    expect(err).toContain('VALIDATION_ERROR');
  });

  test.each([[['session', 'rm', 'a b', '--json']], [['session', '--json', 'rm', 'a b']]])(
    '--json counts on either side of a command of session: %s',
    async (argv) => {
      const { out } = await run(...argv);
      expect(JSON.parse(out)).toMatchObject({ failure: { code: 'VALIDATION_ERROR' } });
    },
  );
});
