import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection, type WorkflowExecutionInfo } from '@temporalio/client';
import type { ResultLine } from '../../src/cli/batch/results-file';
import { executionResultSchema } from '../../src/contract';
import { readResults, returnedFile, writeLines } from '../support/batch';
import type { CliProcess, CommandEnd } from '../support/cli';
import { CliSetup } from '../support/cli-setup';
import { eventually } from '../support/eventually';
import type { WorkerPlace } from '../support/test-worker';

let setup: CliSetup;
let place: WorkerPlace;

beforeAll(async () => {
  setup = await CliSetup.open();
  ({ place } = setup);
});

afterAll(async () => {
  await setup?.close();
});

const start = (...argv: string[]): CliProcess => setup.start(argv);
const batch = (...argv: string[]): Promise<CommandEnd> => start('batch', ...argv).ended;
const write = (name: string, lines: readonly (object | string)[]): void => writeLines(place, name, lines);
const results = (name: string): Record<string, ResultLine> => readResults(place, name);

const LINES = [
  { id: 'value', request: { language: 'python', code: '6 * 7' } },
  {
    id: 'files',
    request: {
      language: 'shell',
      code: 'tr a-z A-Z < in.txt > out.txt; cp b.bin back.bin; echo done',
      inputFiles: [
        { sandboxPath: 'in.txt', content: 'hé' },
        { sandboxPath: 'b.bin', contentBase64: 'AAH/' },
      ],
      outputFiles: [{ sandboxPath: 'out.txt' }, { sandboxPath: '*.bin' }],
    },
  },
  'no JSON',
  { id: 'unknown', request: { language: 'cobol', code: '' } },
  { id: 'value', request: { language: 'python', code: '2' } },
  { id: 'missing', request: { language: 'python', code: '1', inputFiles: [{ path: 'none.txt' }] } },
  { id: 'fails', request: { language: 'javascript', code: 'process.exit(3)' } },
];

describe.each([['through the engine alone', ['--direct']] as const, ['through Temporal', []] as const])(
  '%s',
  (way, flags) => {
    const [input, output] = [`${way}.jsonl`, `${way} results.jsonl`];

    test('every line gets its answer, and the files that were its own are gone from the workspace', async () => {
      write(input, LINES);
      const end = await batch(input, '--output', output, '--inline-files', '1k', '--json', ...flags);
      expect(end.exitCode).toBe(1);
      expect(JSON.parse(end.stdout)).toEqual({ skipped: 0, results: 3, succeeded: 2, failures: 4, output });
      const found = results(output);
      expect(Object.keys(found).sort()).toEqual(['fails', 'files', 'line 3', 'line 5', 'missing', 'unknown', 'value']);
      expect(found['value']).toMatchObject({ result: { result: 42, success: true } });
      expect(found['fails']).toMatchObject({ result: { success: false, metadata: { exitCode: 3 } } });
      expect(found['missing']).toMatchObject({ failure: { code: 'INPUT_FILE_ERROR', retryable: false } });
      for (const id of ['line 3', 'line 5', 'unknown'])
        expect(found[id]).toMatchObject({ failure: { code: 'VALIDATION_ERROR', retryable: false } });
      const files = found['files'];
      if (files === undefined || !('result' in files)) throw new Error('the line with files has no result');
      executionResultSchema.parse(files.result);
      expect(files.files).toEqual({
        'out.txt': returnedFile(Buffer.from('Hé')),
        'b.bin': returnedFile(Buffer.from([0, 1, 255])),
        'back.bin': returnedFile(Buffer.from([0, 1, 255])),
      });
      expect(await place.files()).toEqual([]);
      expect(await place.containers()).toEqual([]);
    });

    test('a second start runs nothing that was answered', async () => {
      const before = readFileSync(join(place.dir, output), 'utf8');
      const { stdout, exitCode } = await batch(input, '--output', output, '--json', ...flags);
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ skipped: 7, results: 0, failures: 0 });
      expect(readFileSync(join(place.dir, output), 'utf8')).toBe(before);
    });
  },
);

test('kill -9 in the middle loses no answer, and the next start completes the file', async () => {
  write('long.jsonl', [
    { id: 'quick', request: { language: 'shell', code: 'result=1' } },
    ...[1, 2, 3].map((n) => ({ id: `slow-${n}`, request: { language: 'shell', code: `sleep 2; result=${n}` } })),
  ]);
  const first = start('batch', 'long.jsonl', '-o', 'long-results.jsonl', '-n', '1', '--direct');
  await first.printed('Engine: Docker alone');
  while (
    !Object.hasOwn(
      safely(() => results('long-results.jsonl')),
      'quick',
    )
  ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  first.kill('SIGKILL');
  await first.ended;
  writeFileSync(join(place.dir, 'long-results.jsonl'), '{"id":"slow-1","resu', { flag: 'a' });
  const { stdout, exitCode } = await batch('long.jsonl', '-o', 'long-results.jsonl', '--direct', '--json');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ skipped: 1, results: 3 });
  expect(Object.keys(results('long-results.jsonl')).sort()).toEqual(['quick', 'slow-1', 'slow-2', 'slow-3']);
  expect(await place.containers()).toEqual([]);
});

test('Ctrl-C cancels what runs, keeps what is answered, and says how to go on', async () => {
  write('endless.jsonl', [
    { id: 'quick', request: { language: 'shell', code: 'result=1' } },
    { id: 'endless', request: { language: 'shell', code: 'sleep 60', timeout: 120_000 } },
  ]);
  const running = start('batch', 'endless.jsonl', '-o', 'endless-results.jsonl', '-n', '1', '--direct');
  await running.printed('Engine: Docker alone');
  while (
    !Object.hasOwn(
      safely(() => results('endless-results.jsonl')),
      'quick',
    )
  ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  running.kill('SIGINT');
  expect(await running.ended).toMatchObject({
    exitCode: 130,
    stderr: expect.stringContaining('goes on later') as string,
  });
  expect(Object.keys(results('endless-results.jsonl'))).toEqual(['quick']);
  expect(await place.containers()).toEqual([]);
});

test('kill -9 in the middle of a batch through Temporal: the next start joins what runs, and runs nothing twice', async () => {
  const code =
    'import secrets, time\ntoken = secrets.token_hex(8)\nprint(token, flush=True)\ntime.sleep(12)\nresult = token';
  write('kept.jsonl', [
    { id: 'slow', request: { language: 'python', code, timeout: 120_000, label: 'kept by a batch' } },
  ]);
  const first = start('batch', 'kept.jsonl', '-o', 'kept-results.jsonl', '--verbose');
  const connection = await Connection.connect({ address: setup.address });
  const client = new Client({ connection });
  const running = async (): Promise<WorkflowExecutionInfo[]> => {
    const found = client.workflow.list({ query: 'ExecutionStatus = "Running"' });
    const all: WorkflowExecutionInfo[] = [];
    for await (const workflow of found) all.push(workflow);
    return all;
  };
  const [before] = await eventually(running, (list) => list.length === 1);
  await eventually(
    () => place.containers(),
    (names) => names.length > 0,
  );
  first.kill('SIGKILL');
  await first.ended;
  const { stdout, exitCode } = await batch('kept.jsonl', '-o', 'kept-results.jsonl', '--json');
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { skipped: 0, results: 1, succeeded: 1 }]);
  expect(results('kept-results.jsonl')).toMatchObject({ slow: { result: { success: true } } });
  expect((await client.workflow.getHandle(before?.workflowId ?? '').describe()).runId).toBe(before?.runId);
  expect(await running()).toEqual([]);
  await connection.close();
});

test('a worker that runs is used, which is said; where it is gone, one in this process steps in', async () => {
  write('with-worker.jsonl', [{ id: 'one', request: { language: 'python', code: '1' } }]);
  const worker = await setup.worker();
  const used = await batch('with-worker.jsonl', '-o', 'used.jsonl');
  expect(used).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/Worker: hourglass\S+, which is running/) as string,
  });
  worker.kill('SIGKILL');
  await worker.ended;
  const alone = await batch('with-worker.jsonl', '-o', 'alone.jsonl');
  expect(alone.stderr).toMatch(/the one that was running does not answer[^]*one in this process/);
  expect(alone.exitCode).toBe(0);
  expect(results('alone.jsonl')).toMatchObject({ one: { result: { result: 1 } } });
});

test.each([
  ['no file', ['none.jsonl', '-o', 'r.jsonl'], 66],
  ['a results file that is something else', ['other.jsonl', '-o', 'something.jsonl'], 73],
  ['the file of the requests as results file', ['other.jsonl', '-o', './other.jsonl'], 73],
  ['a concurrency of none', ['other.jsonl', '-o', 'r.jsonl', '-n', '0'], 64],
  ['no results file', ['other.jsonl'], 64],
])('%s is refused', async (_, argv, exitCode) => {
  write('other.jsonl', ['no id']);
  write('something.jsonl', [{ id: 'a', request: {} }]);
  expect(await batch(...argv)).toMatchObject({ exitCode });
});

function safely<T extends object>(read: () => T): Partial<T> {
  try {
    return read();
  } catch {
    return {};
  }
}
