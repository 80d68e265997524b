import { BOUNDS, executionResultSchema, type ExecutionResult } from '../../../src/contract';
import { jsonBytes } from '../../../src/execution/bounded-text';
import { boundError, boundWarnings, fitResult, roomForResult } from '../../../src/execution/fit-result';

const RESULT: ExecutionResult = {
  success: true,
  result: null,
  stdout: '',
  stderr: '',
  savedFiles: [],
  warnings: [],
  metadata: {
    executionId: 'e-1',
    language: 'python',
    engine: 'container',
    exitCode: 0,
    executionTimeMs: 1,
    queueTimeMs: 0,
    totalTimeMs: 1,
    startKind: 'warm',
    stdoutBytes: 0,
    stderrBytes: 0,
    sandboxId: 'hourglass-1',
    hostId: 'h-1',
    image: 'hourglass/sandbox:1',
    attempt: 1,
  },
};

test('a result that fits is not touched', () => {
  const result = { ...RESULT, stdout: 'x'.repeat(100_000) };
  expect(fitResult(result)).toEqual(result);
});

test.each([
  ['NUL bytes', '\u0000'.repeat(100_000), '\u0001'.repeat(100_000)],
  ['one long stream', '\u0000'.repeat(100_000), 'short'],
  ['plain text', 'x'.repeat(150_000), 'y'.repeat(150_000)],
])('%s on stdout and stderr are cut to the payload bound, with a warning', (_, stdout, stderr) => {
  const fitted = fitResult({ ...RESULT, stdout, stderr });
  expect(jsonBytes(fitted)).toBeLessThanOrEqual(BOUNDS.payloadBytes);
  expect(jsonBytes(fitted)).toBeGreaterThan(BOUNDS.payloadBytes * 0.9);
  expect(fitted.warnings).toEqual([expect.stringContaining('were cut to fit')]);
  expect(executionResultSchema.parse(fitted)).toEqual(fitted);
});

test('a short stream is kept whole beside a long one', () => {
  expect(fitResult({ ...RESULT, stdout: '\u0000'.repeat(100_000), stderr: 'all of it' }).stderr).toBe('all of it');
});

test('the worst of everything still fits', () => {
  const nul = '\u0000'.repeat(200_000);
  const savedFiles = [{ workspacePath: 'x'.repeat(60_000), size: 1, sha256: 'a'.repeat(64), mediaType: 'text/plain' }];
  const worst = {
    ...RESULT,
    savedFiles,
    stdout: nul,
    stderr: nul,
    error: boundError({ code: 'RUNTIME_ERROR', type: nul, message: nul, traceback: nul }),
    warnings: boundWarnings(Array.from({ length: 10_000 }, () => nul)),
  };
  expect(jsonBytes(fitResult(worst))).toBeLessThanOrEqual(BOUNDS.payloadBytes);
});

test('many warnings are replaced by their number', () => {
  const kept = boundWarnings(Array.from({ length: 1_000 }, (_, index) => `warning ${index} ${'x'.repeat(100)}`));
  expect(kept.length).toBeLessThan(200);
  expect(kept.at(-1)).toBe(`${1_000 - (kept.length - 1)} more warnings`);
});

test('room for the result is what the payload bound leaves', () => {
  const text = 'x'.repeat(roomForResult(RESULT) - '""'.length);
  expect(jsonBytes({ ...RESULT, result: text })).toBe(BOUNDS.payloadBytes);
});
