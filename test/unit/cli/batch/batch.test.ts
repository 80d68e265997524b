import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const job = { input, results, answered, counts, workspaces, run, concurrency: 2, inlineBytes: 0, signal, ...more };
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
