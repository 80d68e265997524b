import { heartbeatSchema, HourglassError, isSpent, MAX_FAILURES, MAX_OUTAGES } from '../../../src/contract';
import { ExecutionProgress, type OutputChunk } from '../../../src/execution/progress';

const begin = (waitedMs = 0): ExecutionProgress => new ExecutionProgress('host-1', 'e-1', waitedMs);

test('the first details say that the execution is queued and on which host', () => {
  const details = begin(250).details();
  expect(heartbeatSchema.parse(details)).toEqual(details);
  expect(details).toMatchObject({
    v: 1,
    phase: 'queued',
    executionId: 'e-1',
    hostId: 'host-1',
    runningMs: 0,
    tail: '',
  });
  expect(details.queuedMs).toBeGreaterThanOrEqual(250);
});

test('only waiting counts as queued, and it grows while the wait lasts', async () => {
  jest.useFakeTimers();
  try {
    const progress = begin(100);
    jest.advanceTimersByTime(1_000);
    let admit = (): void => undefined;
    const wait = progress.queued(new Promise<void>((resolve) => (admit = resolve)));
    jest.advanceTimersByTime(50);
    expect(progress.details()).toMatchObject({ phase: 'queued', queuedMs: 150 });
    admit();
    await wait;
    jest.advanceTimersByTime(1_000);
    expect(progress.details()).toMatchObject({ phase: 'starting', queuedMs: 150 });
    expect(progress.totalMs).toBe(2_050);
  } finally {
    jest.useRealTimers();
  }
});

test('running time counts from start to end of the program', () => {
  jest.useFakeTimers();
  try {
    const progress = begin();
    progress.onPhase('running');
    jest.advanceTimersByTime(70);
    expect(progress.details()).toMatchObject({ phase: 'running', runningMs: 70 });
    progress.onPhase('ended');
    jest.advanceTimersByTime(1_000);
    expect(progress.details()).toMatchObject({ phase: 'staging-out', runningMs: 70 });
  } finally {
    jest.useRealTimers();
  }
});

test('R43: the tail is the end of stdout, bounded as JSON', () => {
  const progress = begin();
  progress.onOutput('stdout', Buffer.from('x'.repeat(5_000)), 'head');
  progress.onOutput('stdout', Buffer.from('end'), 'head');
  progress.onOutput('stderr', Buffer.from('not this'), 'head');
  const { tail, stdoutBytes, stderrBytes } = progress.details();
  expect(tail).toMatch(/^x+end$/);
  expect(JSON.stringify(tail).length).toBeLessThanOrEqual(2_048);
  expect([stdoutBytes, stderrBytes]).toEqual([5_003, 8]);

  progress.onOutput('stdout', Buffer.from('\u0000'.repeat(2_048)), 'head');
  expect(JSON.stringify(progress.details().tail).length).toBeLessThanOrEqual(2_048);
});

test('a preview takes the place of the tail', () => {
  const progress = begin();
  progress.onOutput('stdout', Buffer.from('beginning'), 'head');
  progress.onOutput('stdout', Buffer.from('latest'), 'preview');
  expect(progress.details().tail).toBe('latest');
});

test('R43: output can be kept out of the details', () => {
  const progress = begin();
  progress.describe({ language: 'python', code: '1', heartbeatOutput: false });
  progress.onOutput('stdout', Buffer.from('secret'), 'head');
  expect(progress.details()).not.toHaveProperty('tail');
  expect(progress.details().stdoutBytes).toBe(6);
});

test('the request names the execution and its files', () => {
  const progress = begin();
  progress.describe({ language: 'python', code: '1', executionId: 'e-2', inputFiles: [{ path: 'a' }] });
  expect(progress.details()).toMatchObject({ executionId: 'e-2', filesIn: 1 });
});

test('live output reaches its listener with the id of the execution', () => {
  const seen: OutputChunk[] = [];
  const progress = new ExecutionProgress('host-1', 'e-1', 0, (output) => seen.push(output));
  progress.onOutput('stderr', Buffer.from('oh'), 'head');
  expect(seen).toEqual([{ executionId: 'e-1', stream: 'stderr', chunk: Buffer.from('oh'), kind: 'head' }]);
});

test('an attempt counts as a failure once, unless it leaves what it has to the next one', () => {
  const progress = begin();
  progress.failures = 1;
  expect(progress.details()).toMatchObject({ failures: 1 });
  expect(progress.details().end).toBeUndefined();
  progress.fail(new Error());
  progress.fail(new Error());
  expect(heartbeatSchema.parse(progress.details())).toMatchObject({ failures: 2, end: 'failed' });
  const leaving = begin();
  leaving.leave();
  leaving.fail(new Error());
  expect(leaving.details()).toMatchObject({ end: 'left' });
  expect(leaving.failures).toBe(0);
});

test('what is away counts apart, and longer', () => {
  const away = new HourglassError('ENGINE_UNAVAILABLE', 'no engine');
  const progress = begin();
  Object.assign(progress, { failures: MAX_FAILURES - 1, outages: MAX_OUTAGES - 2 });
  expect([progress.wouldBeLast(away), progress.wouldBeLast(new Error())]).toEqual([false, true]);
  progress.fail(away);
  expect(heartbeatSchema.parse(progress.details())).toMatchObject({
    failures: MAX_FAILURES - 1,
    outages: MAX_OUTAGES - 1,
  });
  expect([isSpent(progress), progress.wouldBeLast(away)]).toEqual([false, true]);
});
