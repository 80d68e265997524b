import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildRequest } from '../../../src/cli/run/build-request';
import { parseLocalFile } from '../../../src/cli/run/local-input';
import type { RunOptions } from '../../../src/cli/run/options';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hourglass-cli-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

function file(name: string, content: string | Buffer = ''): string {
  const path = join(dir, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  return path;
}

function build(program: string | undefined, options: Partial<RunOptions> = {}): ReturnType<typeof buildRequest> {
  return buildRequest(program, { figures: true, ...options });
}

describe('the program', () => {
  test.each([
    ['a.py', 'python'],
    ['a.mjs', 'javascript'],
    ['a.TS', 'typescript'],
    ['a.sh', 'shell'],
  ])('of %s is %s', async (name, language) => {
    expect((await build(file(name, 'x'))).request).toMatchObject({ language, code: 'x' });
  });

  test('has the language that is named over the one of its extension', async () => {
    expect((await build(file('a.py'), { language: 'shell' })).request.language).toBe('shell');
  });

  test('without a known language is refused with what to do', async () => {
    await expect(build(file('a.txt'))).rejects.toMatchObject({
      exitCode: 64,
      message: expect.stringMatching(/--language, or one of \.py/) as string,
    });
  });

  test('goes into the workspace where it is too large for a request', async () => {
    const code = `#${'x'.repeat(600_000)}`;
    const { request, staged } = await build(file('big.py', code));
    expect(request.code).toBeUndefined();
    expect(staged).toEqual([{ workspacePath: request.codeFile, content: { text: code } }]);
  });

  test.each([
    ['is missing', 'nowhere.py'],
    ['is a folder', '.'],
  ])('that %s is refused with 66', async (_title, name) => {
    await expect(build(join(dir, name), { language: 'python' })).rejects.toMatchObject({ exitCode: 66 });
  });

  test('that is not UTF-8 is refused', async () => {
    await expect(build(file('a.py', Buffer.from([0xff, 0xfe])))).rejects.toMatchObject({ exitCode: 66 });
  });
});

describe('options', () => {
  test('become fields of the request', async () => {
    const { request } = await build(file('a.py'), {
      ...{ timeout: 5_000, memory: 512, disk: 64, cpus: 0.5, pids: 64, maxOutput: 2_048 },
      ...{ label: 'l', workspaceId: 'w', userId: 'u', figures: false, stdinText: 'in', out: ['*.csv'] },
    });
    expect(request).toMatchObject({
      timeout: 5_000,
      resourceLimits: { memoryMb: 512, diskMb: 64, cpuCores: 0.5, maxPids: 64, maxOutputBytes: 2_048 },
      ...{ label: 'l', workspaceId: 'w', userId: 'u', saveFigures: false, stdin: 'in' },
      outputFiles: [{ sandboxPath: '*.csv' }],
    });
  });

  test('leave out what was not given, so that the policy of the worker decides', async () => {
    const { request } = await build(file('a.py'));
    expect(Object.keys(JSON.parse(JSON.stringify(request)) as object).sort()).toEqual([
      'code',
      'executionId',
      'language',
    ]);
  });

  test('of inputs: single ones win over the file', async () => {
    const inputs = file('in.json', '{"a": 1, "b": 2}');
    const { request } = await build(file('a.py'), { inputs, input: { b: 3 } });
    expect(request.inputData).toEqual({ a: 1, b: 3 });
  });

  test('go on top of a request file', async () => {
    const request = file(
      'request.json',
      JSON.stringify({
        ...{ language: 'python', code: '1', timeout: 2_000, inputData: { a: 1 }, executionId: 'mine' },
        resourceLimits: { memoryMb: 64, maxPids: 50 },
      }),
    );
    expect((await build(undefined, { request, timeout: 3_000, memory: 128, input: { b: 2 } })).request).toMatchObject({
      ...{ executionId: 'mine', code: '1', timeout: 3_000, inputData: { a: 1, b: 2 } },
      resourceLimits: { memoryMb: 128, maxPids: 50 },
    });
  });

  test('that make no valid request are told before anything is started', async () => {
    await expect(build(file('a.py'), { timeout: 1 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test.each<[string, string | undefined, Partial<RunOptions>]>([
    ['no program', undefined, {}],
    ['two kinds of stdin', 'a.py', { stdin: 'x', stdinText: 'y' }],
    ['stdin read twice', '-', { stdin: '-' }],
  ])('%s is wrong usage', async (_title, program, options) => {
    await expect(build(program, options)).rejects.toMatchObject({ exitCode: 64 });
  });
});

describe('a local file', () => {
  test('below the current folder keeps its relative path', () => {
    file('data/a.csv');
    expect(parseLocalFile('data/a.csv', dir)).toEqual({
      localPath: join(dir, 'data/a.csv'),
      sandboxPath: 'data/a.csv',
    });
  });

  test('elsewhere keeps its name', () => {
    file('a.csv');
    expect(parseLocalFile('../a.csv', join(dir, 'sub')).sandboxPath).toBe('a.csv');
  });

  test('lies where the part after the colon says', () => {
    file('a.csv');
    expect(parseLocalFile('a.csv:in/b.csv', dir).sandboxPath).toBe('in/b.csv');
  });

  test('with a colon in its own name is found', () => {
    file('a:b.csv');
    expect(parseLocalFile('a:b.csv', dir).sandboxPath).toBe('a:b.csv');
  });

  test.each(['/etc/passwd', '../up.csv', ''])('keeps its place below /sandbox: not "%s"', (sandboxPath) => {
    file('a.csv');
    expect(() => parseLocalFile(`a.csv:${sandboxPath}`, dir)).toThrow(
      expect.objectContaining({
        exitCode: 64,
        message: expect.stringContaining(`--in a.csv:${sandboxPath}: the path in the sandbox`) as string,
      }) as Error,
    );
  });

  test('that is a folder is refused', () => {
    expect(() => parseLocalFile('.', dir)).toThrow(/not a regular file/);
  });

  test('is staged for this run only, and named in the request', async () => {
    const { request, staged } = await build(file('p.py'), { in: [`${file('a.csv')}:/sandbox/x.csv`] });
    const workspacePath = `cli/${request.executionId}/in/x.csv`;
    expect(staged).toEqual([{ workspacePath, content: { localPath: join(dir, 'a.csv') } }]);
    expect(request.inputFiles).toEqual([{ path: workspacePath, sandboxPath: '/sandbox/x.csv' }]);
  });
});
