import { EXIT, EXIT_MEANINGS, exitCodeHelp, exitCodeOfResult, FAILURE_EXIT } from '../../../src/cli/exit-codes';
import type { ExecutionResult, ProgramErrorCode } from '../../../src/contract';

function result(exitCode: number, code?: ProgramErrorCode): ExecutionResult {
  const error = code === undefined ? {} : { error: { code, type: 'X', message: 'x' } };
  return { success: code === undefined, ...error, metadata: { exitCode } } as unknown as ExecutionResult;
}

test.each<[string, number, ProgramErrorCode | undefined, number]>([
  ['a success passes on 0', 0, undefined, 0],
  ['a code the program set is passed on', 7, 'RUNTIME_ERROR', 7],
  ['a failure without a code of its own is 1', 0, 'RUNTIME_ERROR', 1],
  ['a syntax error passes on what the runtime set', 2, 'SYNTAX_ERROR', 2],
  ['a timeout is 124 whatever signal ended the program', 137, 'TIMEOUT', 124],
  ['a memory limit is 137 even where a worker process was killed', 1, 'MEMORY_LIMIT', 137],
  ['a signal is 128 and its number', 139, 'KILLED', 139],
  ['an output file that could not be saved is 73 after a success', 0, 'OUTPUT_FILE_ERROR', 73],
])('%s', (_title, exitCode, code, expected) => {
  expect(exitCodeOfResult(result(exitCode, code))).toBe(expected);
});

test('every code has a meaning and is in the help', () => {
  expect(Object.keys(EXIT_MEANINGS).map(Number).sort()).toEqual(Object.values(EXIT).sort());
  for (const code of Object.values(EXIT)) expect(exitCodeHelp()).toMatch(new RegExp(`^ +${code}  \\S`, 'm'));
});

test('no failure of the platform looks like a success or like a plain failure of a program', () => {
  for (const code of Object.values(FAILURE_EXIT)) expect(code).toBeGreaterThanOrEqual(64);
});
