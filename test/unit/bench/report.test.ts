import { machineFacts, outcomeOf, tableOf } from '../../bench/report';
import { isMet, rounds, side, type Goal } from '../../bench/row';
import { median, quantile, summarise } from '../../bench/statistics';

const ATMOST: Goal = { name: 'warm run / bare process', compare: '<=', value: 0.3, unit: 'ratio' };
const ATLEAST: Goal = { name: 'runs/s', compare: '>=', value: 400, unit: 'runs/s' };

/** 1 to 100 in no order. */
const HUNDRED = Array.from({ length: 100 }, (_, index) => ((index * 37) % 100) + 1);

test.each([
  [0, 1],
  [0.5, 51],
  [0.99, 100],
  [1, 100],
])('below the quantile of %d lies that share of a hundred samples', (share, value) => {
  expect(quantile(HUNDRED, share)).toBe(value);
  expect(HUNDRED.filter((sample) => sample < value).length / 100).toBeCloseTo(Math.min(share, 0.99), 10);
});

test('the p99 of few samples is the worst of them; of none there is no number', () => {
  expect(summarise([3, 1, 2])).toEqual({ count: 3, min: 1, median: 2, p99: 3 });
  expect(median([7])).toBe(7);
  expect(() => quantile([], 0.5)).toThrow('nothing was measured');
});

test.each([
  [ATMOST, 0.3, true],
  [ATMOST, 0.2, true],
  [ATMOST, 0.301, false],
  [ATLEAST, 400, true],
  [ATLEAST, 401, true],
  [ATLEAST, 399.9, false],
  [ATLEAST, NaN, false],
])('a goal of %j is met by %d: %s', (goal, value, met) => {
  expect(isMet(goal, value)).toBe(met);
});

test('an outcome has goal, value and whether it was met, which is judged before the value is rounded', () => {
  const sides = [side('ours', 'ms', [3.00041]), side('theirs', 'ms', [10])];
  expect(outcomeOf('warm-python', ATMOST, { value: 0.300041, sides })).toEqual({
    ...{
      row: 'warm-python',
      name: 'warm run / bare process',
      unit: 'ratio',
      goal: '<= 0.3',
      goalMet: false,
      value: 0.3,
    },
    sides: [
      { label: 'ours', unit: 'ms', summary: { count: 1, min: 3.00041, median: 3.00041, p99: 3.00041 } },
      { label: 'theirs', unit: 'ms', summary: { count: 1, min: 10, median: 10, p99: 10 } },
    ],
  });
});

test('the table has a line for each goal and one for each of its sides, with min, median and p99', () => {
  const ours = side('ours', 'ms', [1.2345, 2.3456, 3.4567]);
  const lines = tableOf([
    outcomeOf('a', ATMOST, { value: 0.31, sides: [ours] }),
    outcomeOf('b', ATLEAST, { value: 512.34, sides: [] }),
  ]);
  const cells = lines.map((line) => line.trim().split(/ {2,}/));
  expect(cells).toEqual([
    ['row', 'value', 'goal', 'min', 'median', 'p99'],
    ['warm run / bare process', '0.31 ratio', '<= 0.3', 'MISSED'],
    ['ours', 'ms', '1.23', '2.35', '3.46'],
    ['runs/s', '512 runs/s', '>= 400', 'met'],
  ]);
});

test('the facts of the machine are there', () => {
  const { processors, memoryMib, node, kernel, loadAverage } = machineFacts();
  expect(processors).toMatch(/^\d+ x ./);
  expect(memoryMib).toBeGreaterThan(0);
  expect([node, kernel]).toEqual([process.version, expect.stringMatching(/^\d/)]);
  expect(loadAverage).toHaveLength(3);
});

test('a look at a row takes a twentieth of its rounds, and three at least', () => {
  const context = { say: () => undefined, long: false };
  expect([60, 300].map((count) => rounds({ ...context, quick: true }, count))).toEqual([3, 15]);
  expect(rounds({ ...context, quick: false }, 300)).toBe(300);
});
