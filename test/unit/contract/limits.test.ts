import {
  BOUNDS,
  DEFAULT_POLICY,
  findExcesses,
  LIMITS,
  resolveLimits,
  resourceLimitsSchema,
  timeoutSchema,
  type LimitName,
} from '../../../src/contract';

const NAMES = Object.keys(LIMITS) as LimitName[];

test('each limit has its numbers in order', () => {
  for (const name of NAMES) {
    const { min, default: value, policyMax, ceiling } = LIMITS[name];
    const order = [min, ...(value === undefined ? [] : [value]), policyMax, ceiling];
    expect([name, order]).toEqual([name, [...order].sort((a, b) => a - b)]);
  }
});

test('defaults are those of the reference', () => {
  expect(DEFAULT_POLICY.defaults).toEqual({
    ...{ timeout: 30_000, memoryMb: 256, cpuCores: 0.5, maxPids: 100, maxOutputBytes: 102_400 },
  });
  expect(DEFAULT_POLICY.maxima.timeout).toBe(300_000);
});

test('stdout, stderr and a result fit into one payload at the highest output bound', () => {
  expect(2 * LIMITS.maxOutputBytes.ceiling).toBeLessThan(BOUNDS.payloadBytes);
  expect(BOUNDS.payloadBytes).toBeLessThan(256 * 1_024);
});

test('a timeout is a whole number of ms from a second to a day', () => {
  for (const ms of [1_000, 86_400_000]) expect(timeoutSchema.safeParse(ms).success).toBe(true);
  for (const ms of [999, 86_400_001, 1_000.5, Number.NaN, '1000'])
    expect(timeoutSchema.safeParse(ms).success).toBe(false);
});

test.each<[string, object]>([
  ['an unknown limit', { memory: 64 }],
  ['a fraction of a megabyte', { memoryMb: 64.5 }],
  ['less than the least', { maxPids: 1 }],
  ['more than the ceiling', { maxOutputBytes: 1_048_576 }],
  ['infinity', { cpuCores: Infinity }],
])('%s is refused', (_title, limits) => expect(resourceLimitsSchema.safeParse(limits).success).toBe(false));

describe('what a request leaves out', () => {
  test('comes from the policy', () => {
    expect(resolveLimits({}, DEFAULT_POLICY)).toEqual({ ...DEFAULT_POLICY.defaults, diskMb: 128 });
  });

  test('of the disk is half of the memory, within the maximum', () => {
    expect(resolveLimits({ memoryMb: 101 }, DEFAULT_POLICY).diskMb).toBe(50);
    const policy = { ...DEFAULT_POLICY, maxima: { ...DEFAULT_POLICY.maxima, diskMb: 10 } };
    expect(resolveLimits({}, policy).diskMb).toBe(10);
  });

  test('does not touch what it names', () => {
    const asked = { timeout: 2_000, memoryMb: 64, diskMb: 500, cpuCores: 2, maxPids: 40, maxOutputBytes: 2_048 };
    expect(resolveLimits(asked, DEFAULT_POLICY)).toEqual(asked);
  });
});

test('everything beyond the policy is told with what was asked and what is granted, and nothing is clamped', () => {
  const limits = resolveLimits({ timeout: 300_001, cpuCores: 64 }, DEFAULT_POLICY);
  expect(limits.timeout).toBe(300_001);
  expect(findExcesses(limits, DEFAULT_POLICY)).toEqual([
    { limit: 'timeout', asked: 300_001, max: 300_000 },
    { limit: 'cpuCores', asked: 64, max: 4 },
  ]);
  expect(findExcesses(resolveLimits({ timeout: 300_000 }, DEFAULT_POLICY), DEFAULT_POLICY)).toEqual([]);
});
