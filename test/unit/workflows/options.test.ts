import { NON_RETRYABLE_FAILURES, type ExecutionResult } from '../../../src/contract';
import { executeCodeOptions } from '../../../workflows/activity-options';
import { outcomeTable } from '../../../workflows/outcome-table';
import { summarise } from '../../../workflows/summary';

const asMs = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

test('the options trip none of the checks of the Temporal UI', () => {
  const options = executeCodeOptions({ language: 'python', timeout: 1_000 });
  expect(options.cancellationType).toBe('WAIT_CANCELLATION_COMPLETED');
  expect(asMs(options.heartbeatTimeout)).toBeLessThanOrEqual(0.8 * asMs(options.startToCloseTimeout));
  expect(options.retry?.maximumAttempts).toBeGreaterThan(1);
  expect(options.scheduleToStartTimeout).toBeUndefined();
  expect(options.scheduleToCloseTimeout).toBeUndefined();
});

test('no attempt is closed by Temporal before the program had its time', () => {
  for (const timeout of [1_000, 300_000, 86_400_000]) {
    expect(asMs(executeCodeOptions({ timeout }).startToCloseTimeout)).toBeGreaterThan(timeout + 60_000);
  }
  expect(asMs(executeCodeOptions({}).startToCloseTimeout)).toBeGreaterThan(300_000);
});

test.each([['5s'], [Number.NaN], [-1], [1e300], [null], [{}]])(
  'a timeout of %p is left to the activity to refuse',
  (timeout) => {
    expect(executeCodeOptions({ timeout }).startToCloseTimeout).toBe(executeCodeOptions({}).startToCloseTimeout);
  },
);

test.each<[object, string]>([
  [{}, 'default/default'],
  [{ workspaceId: 'shop', userId: 'ann' }, 'shop/ann'],
  [{ workspaceId: 5, userId: 'ä\n' }, 'default/??'],
  [{ workspaceId: 'w'.repeat(128) }, 'w'.repeat(64)],
])('R13: %p waits under the key %s', (request, key) => {
  expect(executeCodeOptions(request).priority).toEqual({ fairnessKey: key });
});

test('R43: types that cannot get better are not retried', () => {
  expect(executeCodeOptions({}).retry?.nonRetryableErrorTypes).toEqual(NON_RETRYABLE_FAILURES);
});

test.each([
  [{ language: 'python' }, 'python'],
  [
    { language: 'python', label: 'build report', inputFiles: [{}, {}], outputFiles: [{}] },
    'python · build report · 3 files',
  ],
  [{ language: 'shell', outputFiles: [{}] }, 'shell · 1 file'],
  [{ language: 7, label: ['x'], inputFiles: 'no' }, 'code'],
  [{ language: 'python', label: ' two\nlines\u001b[31m ' }, 'python · two lines [31m'],
])('%j is summarised as "%s"', (request, summary) => {
  expect(summarise(request)).toBe(summary);
});

test('a summary stays within what the server takes', () => {
  const summary = summarise({ language: 'python', label: '漢'.repeat(120) });
  expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(200);
});

test('the outcome table shows neither output nor markup of the program', () => {
  const table = outcomeTable({
    success: false,
    result: null,
    error: { code: 'RUNTIME_ERROR', type: 'ValueError', message: '<img src=x> |\n# `rm`' },
    stdout: 'OUTPUT',
    stderr: '',
    warnings: [],
    savedFiles: Array.from({ length: 30 }, (_, index) => ({
      workspacePath: `out/${index}.csv`,
      size: index,
      sha256: '',
      mediaType: 'text/csv',
    })),
    metadata: {
      language: 'python',
      exitCode: 1,
      executionTimeMs: 12.4,
      queueTimeMs: 0,
      sandboxId: 's',
      startKind: 'warm',
    },
  } as unknown as ExecutionResult);
  expect(table).toContain('| outcome | RUNTIME\\_ERROR: \\<img src=x\\> \\| \\# \\`rm\\` |');
  expect(table).toContain('| more files | 10 |');
  expect(table).not.toContain('OUTPUT');
});
