import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ALONE, closingLine, countsOf, PURE, WAITING } from '../../../infra/setup/run-tests.js';
import { packageRoot } from '../../../infra/setup/root.js';

const summary = (counts: Partial<Parameters<typeof countsOf>[0]>): NonNullable<Parameters<typeof countsOf>[0]> => ({
  numPassedTests: 0,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  ...counts,
});

test.each([...PURE, ...ALONE, ...WAITING])('%s, which has a group of its own, is there', (path) => {
  expect(existsSync(join(packageRoot(), path))).toBe(true);
});

describe('what a jest run counts as', () => {
  test('its own numbers', () => {
    expect(countsOf(summary({ numPassedTests: 5, numPendingTests: 2 }), 0)).toEqual({
      passed: 5,
      failed: 0,
      skipped: 2,
    });
  });

  test('a file that could not run is a failure', () => {
    expect(countsOf(summary({ numPassedTests: 5, numRuntimeErrorTestSuites: 1 }), 1).failed).toBe(1);
  });

  test('a run that failed without naming a test is a failure', () => {
    expect(countsOf(summary({ numPassedTests: 5 }), 1).failed).toBe(1);
    expect(countsOf(undefined, 134)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});

describe('the closing line', () => {
  test('names what passed and failed', () => {
    expect(closingLine({ passed: 3, failed: 1, skipped: 0 })).toBe('3 passed, 1 failed');
  });

  test('names what was skipped where something was', () => {
    expect(closingLine({ passed: 3, failed: 0, skipped: 2 })).toBe('3 passed, 0 failed, 2 skipped');
  });
});
