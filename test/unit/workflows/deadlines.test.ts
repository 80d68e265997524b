import { Deadlines } from '../../../workflows/session/deadlines';

const START = 1_000_000;
const DAY_MS = 86_400_000;

beforeEach(() => {
  jest.useFakeTimers({ now: START });
});

afterEach(() => {
  jest.useRealTimers();
});

const later = (ms: number): void => void jest.setSystemTime(Date.now() + ms);

test('before its host has answered, a session waits for a day', () => {
  const deadlines = new Deadlines(START, START, undefined, undefined);
  expect(deadlines.msLeft(true)).toBe(DAY_MS);
  expect(deadlines.expiresAt).toBeUndefined();
});

test('what the host says counts where nothing else was asked for, and wakes whoever waits', () => {
  const deadlines = new Deadlines(START, START, undefined, undefined);
  const { changes } = deadlines;
  deadlines.fill({ idleTtlMs: 5_000, ttlMs: 60_000 });
  expect(deadlines.changes).not.toBe(changes);
  expect(deadlines.msLeft(true)).toBe(5_000);
  deadlines.fill({ idleTtlMs: 1, ttlMs: 1 });
  expect(deadlines.msLeft(true)).toBe(5_000);
  expect(new Deadlines(START, START, undefined, 7_000).msLeft(true)).toBe(7_000);
});

test('a call moves the end by idleness, and wakes nobody', () => {
  const deadlines = new Deadlines(START, START, undefined, 5_000);
  const { changes } = deadlines;
  later(3_000);
  deadlines.touch();
  expect(deadlines.msLeft(true)).toBe(5_000);
  expect(deadlines.changes).toBe(changes);
});

test('a session at work is not idle, but it may be too old', () => {
  const deadlines = new Deadlines(START, START, START + 8_000, 5_000);
  later(6_000);
  expect(deadlines.msLeft(true)).toBeLessThan(0);
  expect(deadlines.msLeft(false)).toBe(2_000);
  expect(deadlines.isExpired).toBe(false);
  later(2_000);
  expect(deadlines.isExpired).toBe(true);
  expect(deadlines.msLeft(false)).toBe(0);
});

test('a renewal counts from now, may shorten the time, and wakes whoever waits', () => {
  const deadlines = new Deadlines(START, START, undefined, 60_000);
  const { changes } = deadlines;
  later(10_000);
  deadlines.renew(1_000);
  expect(deadlines.msLeft(true)).toBe(1_000);
  expect(deadlines.changes).not.toBe(changes);
  deadlines.renew(undefined);
  expect(deadlines.idleTtlMs).toBe(1_000);
});

test('a host that is drained ends a session at its time, unless that is taken back', () => {
  const deadlines = new Deadlines(START, START, START + 60_000, 30_000);
  const { changes } = deadlines;
  deadlines.drain(START + 2_000);
  expect(deadlines.changes).not.toBe(changes);
  expect([deadlines.msLeft(true), deadlines.msLeft(false)]).toEqual([2_000, 2_000]);
  later(2_000);
  expect([deadlines.isDrained, deadlines.isExpired]).toEqual([true, false]);
  deadlines.drain(undefined);
  expect([deadlines.isDrained, deadlines.msLeft(true)]).toEqual([false, 28_000]);
  expect(new Deadlines(START, START, undefined, 30_000, START + 5_000).msLeft(false)).toBe(3_000);
});
