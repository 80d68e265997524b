import { Demand } from '../../../src/pool/demand';

const NOW = 1_000_000_000;

function usedEvery(gapMs: number, uses: number): { demand: Demand; now: number } {
  const demand = new Demand();
  for (let use = 0; use < uses; use += 1) demand.note(NOW + use * gapMs);
  return { demand, now: NOW + (uses - 1) * gapMs };
}

test('nothing is expected of what was never used', () => {
  const demand = new Demand();
  expect(demand.within(60_000, NOW)).toBe(0);
  expect(demand.gapMs).toBeUndefined();
});

test('a steady use is learnt, with a margin for bunches', () => {
  const { demand, now } = usedEvery(200, 1_500);
  expect(demand.perMs(now) * 1_000).toBeCloseTo(5, 0);
  // Five a second for two seconds, and twice the root of that.
  expect(demand.within(2_000, now)).toBeGreaterThanOrEqual(16);
  expect(demand.within(2_000, now)).toBeLessThanOrEqual(18);
});

test('what is not used any more is forgotten', () => {
  const { demand, now } = usedEvery(200, 1_500);
  expect(demand.perMs(now + 10 * 60_000) * 1_000).toBeCloseTo(0, 3);
});

test('a single use expects less than one more within a second', () => {
  expect(usedEvery(1, 1).demand.within(1_000, NOW)).toBe(1);
});

test('the gap follows uses by the clock', () => {
  expect(usedEvery(600_000, 10).demand.gapMs).toBe(600_000);
});
