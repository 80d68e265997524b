import { allotWarm } from '../../../src/pool/allot';
import { Breaker, BREAKER_FAILURES, BREAKER_MS } from '../../../src/pool/breaker';
import { IDLE_MS, noteBoot, noteUse, poolKey, type PoolKey } from '../../../src/pool/pool-key';

const NOW = 1_000_000_000;

function key(maxPids: number, usedMsAgo: number, pinned = false): PoolKey {
  const spec = { runtime: 'shell', preload: [], memoryMb: 64, diskMb: 32, cpuCores: 1, maxPids } as const;
  const known = { spec, idleMb: 10, pinned, breaker: new Breaker() };
  return { ...poolKey(known, NOW - usedMsAgo), id: String(maxPids) };
}

function usedOnce(maxPids: number, msAgo: number): PoolKey {
  const once = key(maxPids, msAgo);
  noteUse(once, NOW - msAgo);
  return once;
}

const allot = (keys: PoolKey[], warmPerKey: number, maxWarm: number): Record<string, number> =>
  Object.fromEntries(allotWarm(keys, { warmPerKey, maxWarm, memoryMb: 1_000 }, NOW));

test('every key in use gets its share while there is enough', () => {
  expect(allot([key(1, 10), key(2, 20)], 2, 4)).toEqual({ 1: 2, 2: 2 });
});

test('every key gets its first before any gets its second', () => {
  expect(allot([key(1, 10), key(2, 20), key(3, 30)], 2, 4)).toEqual({ 1: 2, 2: 1, 3: 1 });
});

test('where there is not enough, the most recently used of keys alike win', () => {
  expect(allot([key(1, 30), key(2, 10), key(3, 20)], 1, 2)).toEqual({ 2: 1, 3: 1 });
  expect(allot([usedOnce(1, 30), usedOnce(2, 10), usedOnce(3, 20)], 1, 2)).toEqual({ 2: 1, 3: 1 });
});

test('keys that are used once displace neither pinned nor busy ones', () => {
  const busy = key(2, 30_000);
  for (let use = 60; use > 0; use -= 1) noteUse(busy, NOW - 30_000 - use * 1_000);
  const once = [3, 4, 5, 6].map((id) => usedOnce(id, id));
  expect(allot([...once, busy, key(1, IDLE_MS, true)], 1, 2)).toEqual({ 1: 1, 2: 1 });
  expect(allot([...once, busy, key(1, IDLE_MS, true)], 1, 3)).toEqual({ 1: 1, 2: 1, 3: 1 });
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

test('what does not boot rests, and then gets another try', () => {
  const breaker = new Breaker();
  for (let failure = 1; failure < BREAKER_FAILURES; failure += 1) breaker.noteFailure(NOW);
  expect(breaker.mayBoot(NOW)).toBe(true);
  breaker.noteFailure(NOW);
  expect(breaker.mayBoot(NOW + BREAKER_MS - 1)).toBe(false);
  expect(breaker.mayBoot(NOW + BREAKER_MS)).toBe(true);
  breaker.noteBoot();
  expect(breaker.mayBoot(NOW)).toBe(true);
});

test('a key has as many as are used while the next ones boot', () => {
  const busy = key(1, 0);
  for (let use = 1_000; use > 0; use -= 1) busy.demand.note(NOW - use * 250);
  const { 1: warm } = allot([busy], 1, 100);
  // Four a second, and a boot of a second twice.
  expect(warm).toBeGreaterThan(8);
  expect(warm).toBeLessThan(20);
  expect(allot([busy, key(2, 20)], 1, 5)).toEqual({ 1: 4, 2: 1 });
});

test('slow boots ask for more', () => {
  const [quick, slow] = [key(1, 0), key(2, 0)];
  for (const { demand } of [quick, slow]) for (let use = 100; use > 0; use -= 1) demand.note(NOW - use * 500);
  for (let boots = 0; boots < 20; boots += 1) {
    noteBoot(quick, 100);
    noteBoot(slow, 3_000);
  }
  const { 1: few = 0, 2: many = 0 } = allot([quick, slow], 1, 100);
  expect(many).toBeGreaterThan(few);
});

test('what all of them hold while they wait keeps within the memory', () => {
  const budget = { warmPerKey: 3, maxWarm: 100, memoryMb: 45 };
  expect(Object.fromEntries(allotWarm([key(1, 10), key(2, 20)], budget, NOW))).toEqual({ 1: 2, 2: 2 });
});

test('a key that is used by the clock stays warm for longer than its gap', () => {
  const hourly = key(1, 0);
  for (let use = 5; use > 0; use -= 1) noteUse(hourly, NOW - use * 1_200_000);
  expect(allot([hourly], 1, 9)).toEqual({ 1: 1 });
  expect(Object.fromEntries(allotWarm([hourly], { warmPerKey: 1, maxWarm: 9, memoryMb: 99 }, NOW + 1_200_000))).toEqual(
    {},
  );
});
