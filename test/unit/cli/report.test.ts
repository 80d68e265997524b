import { formatBytes, formatMs, printReport } from '../../../src/cli/run/report';
import { table } from '../../../src/cli/table';
import { wantsColors } from '../../../src/cli/terminal';
import type { ExecutionResult } from '../../../src/contract';
import { recordTerminal } from '../../support/terminal';

const RESULT: ExecutionResult = {
  success: true,
  result: { a: 1 },
  stdout: '',
  stderr: '',
  savedFiles: [{ workspacePath: 'out.csv', size: 2_048, sha256: '0'.repeat(64), mediaType: 'text/csv' }],
  warnings: [],
  metadata: {
    ...{ executionId: 'e', language: 'python', engine: 'container', exitCode: 0, executionTimeMs: 12.4 },
    ...{ queueTimeMs: 3, totalTimeMs: 1_234, startKind: 'warm', stdoutBytes: 0, stderrBytes: 0 },
    ...{ sandboxId: 's', hostId: 'h', image: 'i', attempt: 1 },
  },
};

function print(result: Partial<ExecutionResult>): string {
  const terminal = recordTerminal();
  const context = { locate: (path: string) => `/ws/${path}`, url: 'http://ui/x', copied: [] };
  printReport({ ...RESULT, ...result }, context, terminal.err);
  return terminal.text.err;
}

test('a report names outcome, result, files, times and link', () => {
  const text = print({});
  expect(text).toContain('✔ python program, exit code 0');
  expect(text).toContain('"a": 1');
  expect(text).toContain('out.csv  2.0 KB  /ws/out.csv');
  expect(text).toContain('12 ms run, 3 ms queued, 1.23 s in the worker, warm start');
  expect(text).toContain('http://ui/x');
});

test('an error is shown with its code, its type and its line', () => {
  const error = { code: 'RUNTIME_ERROR', type: 'ValueError', message: 'bad', line: 3 } as const;
  expect(print({ success: false, error })).toContain('✘ RUNTIME_ERROR ValueError: bad (line 3)');
});

test('a line that the message names is not named again', () => {
  const error = {
    code: 'RUNTIME_ERROR',
    type: 'RUNTIME_ERROR',
    message: 'Command exited with code 1 (line 3)',
    line: 3,
  } as const;
  expect(print({ success: false, error })).toContain('✘ RUNTIME_ERROR Command exited with code 1 (line 3) –');
});

test('what a shell program has printed is not shown again as its value', () => {
  const metadata = { ...RESULT.metadata, language: 'shell' } as const;
  expect(print({ metadata, stdout: 'said\n', result: 'said' })).not.toContain('said');
  expect(print({ metadata, stdout: 'said\n', result: 'else' })).toContain('"else"');
  expect(print({ stdout: 'said\n', result: 'said' })).toContain('"said"');
});

test('a traceback that the program has printed is not shown twice', () => {
  const error = { code: 'RUNTIME_ERROR', type: 'E', message: 'bad', traceback: 'Traceback\nE: bad\n' } as const;
  expect(print({ success: false, error })).toContain('Traceback');
  expect(print({ success: false, error, stderr: 'x\nTraceback\nE: bad\n' })).not.toContain('Traceback');
});

test('what a program wrote into its result cannot steer the terminal', () => {
  const text = print({ result: '\u009b2J', warnings: ['\u001b]0;x\u0007'] });
  for (const control of ['\u001b', '\u009b', '\u0007']) expect(text).not.toContain(control);
});

test('sizes and times are short', () => {
  expect([0, 512, 1_536, 3 * 1_048_576].map(formatBytes)).toEqual(['0 B', '512 B', '1.5 KB', '3.0 MB']);
  expect([0.4, 999, 1_500].map(formatMs)).toEqual(['0 ms', '999 ms', '1.50 s']);
});

test('columns are as wide as their widest cell, colours not counted', () => {
  expect(table(['a', 'b'], [['\u001b[31mxx\u001b[39m', 'y']])).toEqual(['a   b', '\u001b[31mxx\u001b[39m  y']);
});

test('colours appear on a terminal only, and not where NO_COLOR is set', () => {
  expect(wantsColors(true, {})).toBe(true);
  expect(wantsColors(false, {})).toBe(false);
  expect(wantsColors(true, { NO_COLOR: '1' })).toBe(false);
  expect(wantsColors(true, { TERM: 'dumb' })).toBe(false);
});
