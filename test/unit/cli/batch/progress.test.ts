import { PassThrough } from 'node:stream';
import { ProgressBar, type BatchCounts } from '../../../../src/cli/batch/progress';
import { StreamChannel } from '../../../../src/cli/terminal';

function drawn(isTerminal: boolean, counts: BatchCounts, total: number): string[] {
  const said: string[] = [];
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const channel = new StreamChannel(stream, isTerminal, {});
  jest.useFakeTimers();
  try {
    const bar = new ProgressBar(channel, counts, total);
    bar.start();
    jest.advanceTimersByTime(1_000);
    counts.results += 1;
    bar.stop();
    jest.advanceTimersByTime(1_000);
  } finally {
    jest.useRealTimers();
  }
  return said;
}

const COUNTS: BatchCounts = { skipped: 1, results: 1, succeeded: 1, failures: 1, running: 2 };

test('on a terminal the bar shows again and again how far the batch is, and stays as it ended', () => {
  const said = drawn(true, { ...COUNTS }, 8);
  expect(said.length).toBeGreaterThan(3);
  expect(said[0]).toMatch(/^\r█{9}░{15} 3\/8 {2}1 failed {2}2 running {2}[\d.]+\/s/);
  expect(said[0]?.endsWith('\u001b[K')).toBe(true);
  expect(said.at(-2)).toMatch(/^\r█{12}░{12} 4\/8 /);
  expect(said.at(-1)).toBe('\n');
});

test('elsewhere nothing is drawn', () => {
  expect(drawn(false, { ...COUNTS }, 8)).toEqual([]);
});

test('a batch without lines is complete', () => {
  expect(drawn(true, { skipped: 0, results: 0, succeeded: 0, failures: 0, running: 0 }, 0)[0]).toContain(
    '█'.repeat(24),
  );
});
