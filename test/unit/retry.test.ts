import { retry } from '../../src/retry';
import { createLog, SILENT } from '../../src/telemetry/log';

jest.mock('node:timers/promises', () => ({ setTimeout: (ms: number) => (waits.push(ms), Promise.resolve()) }));
const waits: number[] = [];

beforeEach(() => (waits.length = 0));

test('what answers at last is had, and each failure is logged with the next try', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', format: 'json', write: (line) => void lines.push(line) });
  let calls = 0;
  const answer = await retry(
    async () => {
      calls += 1;
      if (calls < 3) throw new Error('down');
      return 'up';
    },
    { what: 'The engine', log },
  );
  expect(answer).toBe('up');
  expect(waits).toEqual([500, 1_000]);
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(
    Array.from({ length: 2 }, () => 'The engine does not answer; trying again'),
  );
});

test('what never answers rejects with its last error after growing waits', async () => {
  let calls = 0;
  const asking = retry(() => Promise.reject(new Error(`down ${(calls += 1)}`)), { what: 'The engine', log: SILENT });
  await expect(asking).rejects.toThrow('down 7');
  expect(waits).toEqual([...waits].sort((a, b) => a - b));
});

test('an aborted wait rejects with the reason of the signal', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(retry(() => Promise.resolve(1), { what: 'The engine', log: SILENT, signal })).rejects.toThrow('enough');
});
