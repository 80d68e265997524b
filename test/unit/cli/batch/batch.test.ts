import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { runBatch, type BatchJob } from '../../../../src/cli/batch/batch';
import { openResults } from '../../../../src/cli/batch/results-file';
import type { RunRequest } from '../../../../src/cli/batch/runners';
import { HourglassError, type ExecutionResult } from '../../../../src/contract';
import { createDiskWorkspaceStore } from '../../../../src/workspace/disk-store';

let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hourglass-test-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const RESULT = {
  success: true,
  result: null,
  stdout: '',
  stderr: '',
  savedFiles: [],
  warnings: [],
} as unknown as ExecutionResult;

/** Answers lines `1`, `2`, ...; the ids of the results file in its order. */
async function answer(ids: readonly string[], run: RunRequest, more: Partial<BatchJob> = {}): Promise<unknown[]> {
  const input = join(folder, 'in.jsonl');
  const request = { language: 'python', code: '1' };
  writeFileSync(input, ids.map((id) => `${JSON.stringify({ id, request: { ...request, label: id } })}\n`).join(''));
  const path = join(folder, 'out.jsonl');
  const { file: results, answered } = await openResults(path);
  const counts = { skipped: 0, results: 0, succeeded: 0, failures: 0, running: 0 };
  const workspaces = createDiskWorkspaceStore({ dir: join(folder, 'workspace'), quotaBytes: 1e6, maxFileBytes: 1e6 });
  const signal = new AbortController().signal;
  const facts = { batchId: 'b', workspaceDir: folder, concurrency: 2, inlineBytes: 0 };
  const job = { ...facts, input, results, answered, counts, workspaces, run, signal, ...more };
  try {
    await runBatch(job);
  } finally {
    await results.close();
  }
  const written = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return written.map((line) => (JSON.parse(line) as { id: unknown }).id);
}

test('no more lines run at the same time than asked for, and a result is written as soon as it is there', async () => {
  let running = 0;
  let most = 0;
  const run: RunRequest = async ({ label }) => {
    most = Math.max(most, (running += 1));
    // The first line ends last of all that run beside it.
    for (let turn = label === '1' ? 50 : 5; turn > 0; turn -= 1) await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return RESULT;
  };
  const order = await answer(['1', '2', '3', '4'], run);
  expect(most).toBe(2);
  expect(order).toHaveLength(4);
  expect(order.at(-1)).toBe('1');
});

test('a second start runs only what has no result line yet', async () => {
  const ran: unknown[] = [];
  const run: RunRequest = async ({ label }) => {
    ran.push(label);
    return RESULT;
  };
  await answer(['1', '2'], run);
  expect(await answer(['1', '2', '3'], run)).toEqual(['1', '2', '3']);
  expect(ran).toEqual(['1', '2', '3']);
});

test('a failure is the answer of its line alone', async () => {
  const run: RunRequest = async ({ label }) => {
    if (label === '2') throw new HourglassError('SANDBOX_LOST', 'gone');
    return RESULT;
  };
  expect((await answer(['1', '2', '3'], run)).sort()).toEqual(['1', '2', '3']);
});

test.each<[string, unknown[], unknown[]]>([
  ['the first line', [{ id: '1', failure: {} }], ['1', '2', null]],
  ['the repeated line', [{ id: null, line: 3, failure: {} }], [null, '1', '2']],
  [
    'both',
    [
      { id: null, line: 3, failure: {} },
      { id: '1', result: {} },
    ],
    [null, '1', '2'],
  ],
])('of two lines of one id each is answered once, where %s was answered before', async (_, before, expected) => {
  writeFileSync(join(folder, 'out.jsonl'), before.map((line) => `${JSON.stringify(line)}\n`).join(''));
  expect(await answer(['1', '2', '1'], async () => RESULT, { concurrency: 1 })).toEqual(expected);
});

test('a workflow that ends in a way that no table knows is the failure of its line', async () => {
  const run: RunRequest = async ({ label }) => {
    if (label === '2') throw ApplicationFailure.nonRetryable('odd', 'SomethingElse');
    return RESULT;
  };
  expect(await answer(['1', '2', '3'], run, { concurrency: 1 })).toEqual(['1', '2', '3']);
  expect(readFileSync(join(folder, 'out.jsonl'), 'utf8')).toContain('"code":"INTERNAL_ERROR","message":"odd"');
});

test('a result whose files somebody takes away meanwhile is a result all the same', async () => {
  const saved = { sandboxPath: 'a.txt', workspacePath: 'gone.txt', size: 1, sha256: 'x', mediaType: 'text/plain' };
  const run: RunRequest = async () => ({ ...RESULT, savedFiles: [saved] });
  await answer(['1'], run, { inlineBytes: 100 });
  const [line] = readFileSync(join(folder, 'out.jsonl'), 'utf8').split('\n');
  expect(JSON.parse(line ?? '')).toMatchObject({ files: { 'a.txt': { size: 1, sha256: 'x' } } });
});

test('an interrupted line has no result line, and no further line begins', async () => {
  const controller = new AbortController();
  const run: RunRequest = async (_, signal) => {
    controller.abort(new Error('Ctrl-C'));
    signal.throwIfAborted();
    return RESULT;
  };
  expect(await answer(['1', '2', '3'], run, { signal: controller.signal, concurrency: 1 })).toEqual([]);
});

test('what concerns all lines ends the batch, and what is answered stays', async () => {
  const run: RunRequest = async ({ label }) => {
    if (label === '2') throw new Error('the server is gone');
    return RESULT;
  };
  await expect(answer(['1', '2', '3'], run, { concurrency: 1 })).rejects.toThrow('the server is gone');
  expect(readFileSync(join(folder, 'out.jsonl'), 'utf8').split('\n').filter(Boolean)).toHaveLength(1);
});
