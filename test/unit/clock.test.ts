import { evenMs, moment, nowSince } from '../../src/clock';

const HOUR = 3_600_000;

afterEach(() => jest.restoreAllMocks());

test.each([HOUR, -HOUR])('a wall clock that is moved by %d ms does not move a moment', (byMs) => {
  const then = moment();
  jest.spyOn(Date, 'now').mockReturnValue(then.wallMs + byMs);
  expect(nowSince(then)).toBeGreaterThanOrEqual(then.wallMs);
  expect(nowSince(then)).toBeLessThan(then.wallMs + HOUR);
});

test('a moment before the start of the machine, or none at all, leaves the wall clock', () => {
  const before = { wallMs: 1, evenMs: evenMs() + HOUR };
  expect([nowSince(before, 7), nowSince(undefined, 8)]).toEqual([7, 8]);
});
