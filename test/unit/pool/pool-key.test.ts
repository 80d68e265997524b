import {
  allotWarm,
  BREAKER_FAILURES,
  BREAKER_MS,
  IDLE_MS,
  mayRefill,
  poolKey,
  type PoolKey,
} from '../../../src/pool/pool-key';

const NOW = 1_000_000_000;

function key(maxPids: number, usedMsAgo: number, pinned = false): PoolKey {
  const spec = { runtime: 'shell', preload: [], memoryMb: 64, diskMb: 32, cpuCores: 1, maxPids } as const;
  return { ...poolKey(spec, pinned, NOW - usedMsAgo), id: String(maxPids) };
}

const allot = (keys: PoolKey[], warmPerKey: number, maxWarm: number): Record<string, number> =>
  Object.fromEntries(allotWarm(keys, { warmPerKey, maxWarm }, NOW));

test('every key in use gets its share while there is enough', () => {
  expect(allot([key(1, 10), key(2, 20)], 2, 4)).toEqual({ 1: 2, 2: 2 });
});

test('every key gets its first before any gets its second', () => {
  expect(allot([key(1, 10), key(2, 20), key(3, 30)], 2, 4)).toEqual({ 1: 2, 2: 1, 3: 1 });
});

test('where there is not enough, the most recently used keys win', () => {
  expect(allot([key(1, 30), key(2, 10), key(3, 20)], 1, 2)).toEqual({ 2: 1, 3: 1 });
});

test('a key that nobody uses for a while gets nothing, unless it is pinned', () => {
  expect(allot([key(1, IDLE_MS), key(2, IDLE_MS, true), key(3, IDLE_MS - 1)], 1, 9)).toEqual({ 2: 1, 3: 1 });
});

test.each([
  [0, 9],
  [3, 0],
])('%i a key and %i in all is no warm sandbox', (warmPerKey, maxWarm) => {
  expect(allot([key(1, 0)], warmPerKey, maxWarm)).toEqual({});
});

test('a key that does not boot rests, and then gets another try', () => {
  const broken = { ...key(1, 0), failures: BREAKER_FAILURES, failedAt: NOW };
  expect(mayRefill({ ...broken, failures: BREAKER_FAILURES - 1 }, NOW)).toBe(true);
  expect(mayRefill(broken, NOW + BREAKER_MS - 1)).toBe(false);
  expect(mayRefill(broken, NOW + BREAKER_MS)).toBe(true);
});
