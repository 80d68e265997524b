import { formatAge } from '../../../src/cli/format-age';

test.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [1_000, '1s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [184_000, '3m 4s'],
  [3_600_000, '1h'],
  [3_601_000, '1h'],
  [7_500_000, '2h 5m'],
  [273_600_000, '3d 4h'],
])('%d ms is %s', (ms, text) => {
  expect(formatAge(ms)).toBe(text);
});
