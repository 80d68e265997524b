import type { ProgramOutcome } from '../../../src/runner';
import { signalName } from '../../../src/runner/signals';
import { GOOD_END, reportOf, startedRun } from './scripted-guest';

async function outcomeOf(end: object, report: Buffer = Buffer.alloc(0)): Promise<ProgramOutcome> {
  const { guest, outcome } = await startedRun();
  if (report.length > 0) guest.send('REPORT', report);
  guest.send('END', { ...GOOD_END, reportBytes: report.length, ...end });
  return outcome;
}

const failed = (code: string): Buffer =>
  reportOf({ error: { code, type: 'ValueError', message: 'no', line: 3, traceback: 'Traceback ...' } });

test.each<[string, object, Buffer | undefined, object]>([
  ['ends well', {}, undefined, { exitCode: 0, error: undefined }],
  [
    'exits with a code',
    { exitCode: 3 },
    undefined,
    { exitCode: 3, error: { code: 'RUNTIME_ERROR', type: 'RUNTIME_ERROR', message: 'Program exited with code 3' } },
  ],
  [
    'exits with 124, which is no timeout',
    { exitCode: 124 },
    undefined,
    { exitCode: 124, error: { code: 'RUNTIME_ERROR', message: 'Program exited with code 124' } },
  ],
  [
    'exits with 137, which is no kill',
    { exitCode: 137 },
    undefined,
    { exitCode: 137, signal: undefined, error: { code: 'RUNTIME_ERROR' } },
  ],
  [
    'is killed by a signal',
    { exitCode: null, signal: 11 },
    undefined,
    {
      exitCode: 139,
      signal: 'SIGSEGV',
      error: { code: 'KILLED', type: 'KILLED', message: 'Program was killed by signal SIGSEGV' },
    },
  ],
  [
    'aborts, as V8 does when its heap is full',
    { exitCode: null, signal: 6 },
    undefined,
    { exitCode: 134, error: { code: 'KILLED', message: 'Program was killed by signal SIGABRT' } },
  ],
  [
    'is killed by the kernel for memory',
    { exitCode: null, signal: 9, oomKills: 1 },
    undefined,
    { exitCode: 137, error: { code: 'MEMORY_LIMIT', type: 'MEMORY_LIMIT' } },
  ],
  [
    'loses a worker process to the kernel and ends well',
    { oomKills: 2 },
    undefined,
    { exitCode: 137, error: { code: 'MEMORY_LIMIT' } },
  ],
  [
    'claims a timeout that our clock has not seen',
    { exitCode: null, signal: 9, killReason: 'timeout' },
    undefined,
    { exitCode: 137, error: { code: 'KILLED', message: 'Program was killed by signal SIGKILL' } },
  ],
  [
    'reports an error',
    { exitCode: 1 },
    failed('RUNTIME_ERROR'),
    {
      exitCode: 1,
      error: { code: 'RUNTIME_ERROR', type: 'ValueError', message: 'no', line: 3, traceback: 'Traceback ...' },
    },
  ],
  ['does not parse', { exitCode: 1 }, failed('SYNTAX_ERROR'), { error: { code: 'SYNTAX_ERROR', line: 3 } }],
  ['is shell and does not parse', { exitCode: 2, syntaxError: true }, undefined, { error: { code: 'SYNTAX_ERROR' } }],
  ['reports an error and exits with 0', {}, failed('RUNTIME_ERROR'), { exitCode: 1, error: { type: 'ValueError' } }],
  [
    'reports an error and is killed after it',
    { exitCode: null, signal: 15 },
    failed('RUNTIME_ERROR'),
    { exitCode: 143, error: { code: 'KILLED' } },
  ],
  [
    'leaves a report that is none',
    {},
    Buffer.from('forged'),
    { exitCode: 1, error: { code: 'RUNTIME_ERROR', message: expect.stringContaining('report that is not valid') } },
  ],
])('a program that %s', async (_, end, report, expected) => {
  await expect(outcomeOf(end, report)).resolves.toMatchObject(expected);
});

test('a guest cannot claim more time than passed here', async () => {
  const { executionTimeMs } = await outcomeOf({ wallMs: 1e9 });
  expect(executionTimeMs).toBeLessThan(60_000);
});

test('facts the guest does not know are absent', async () => {
  const outcome = await outcomeOf({ peakMemoryBytes: null, cpuMs: null });
  expect(outcome).toMatchObject({ peakMemoryBytes: undefined, cpuTimeMs: undefined });
});

test('each warning is bounded', async () => {
  const { warnings } = await outcomeOf({ warnings: ['w'.repeat(100_000)] });
  expect(warnings[0]).toMatch(/^w+…$/);
  expect(Buffer.byteLength(warnings[0] ?? '')).toBe(1_024);
});

test.each([
  [1, 'SIGHUP'],
  [9, 'SIGKILL'],
  [10, 'SIGUSR1'],
  [31, 'SIGSYS'],
  [34, 'SIGRTMIN+0'],
  [64, 'SIGRTMIN+30'],
  [32, 'signal 32'],
])('signal %i is %s, as on Linux', (number, name) => {
  expect(signalName(number)).toBe(name);
});
