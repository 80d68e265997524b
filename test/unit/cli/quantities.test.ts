import {
  collect,
  collectInput,
  parseBytes,
  parseDecimal,
  parseDuration,
  parseMegabytes,
} from '../../../src/cli/run/quantities';

test.each([
  ['1500', 1_500],
  ['1500ms', 1_500],
  ['30s', 30_000],
  ['1.5 m', 90_000],
  ['1h', 3_600_000],
])('a duration of %s is %d ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

test.each([
  ['512', 512],
  ['512m', 512],
  ['2G', 2_048],
  ['1GiB', 1_024],
  ['256MB', 256],
])('a size of %s is %d MB', (text, megabytes) => expect(parseMegabytes(text)).toBe(megabytes));

test('bytes know k, m and g', () => {
  expect(['1024', '64k', '1m'].map(parseBytes)).toEqual([1_024, 65_536, 1_048_576]);
});

test.each(['', 's', '-1s', '5x', '1e3', 'ten'])('%p is no duration', (text) => {
  expect(() => parseDuration(text)).toThrow(/Give it like/);
});

test.each(['', '-1', 'x', '0x10'])('%p is no number', (text) => expect(() => parseDecimal(text)).toThrow(/number/));

test('inputs are JSON where they are JSON and text otherwise, and are collected', () => {
  const inputs = ['n=1', 'list=[1,2]', 'text=hello world', 'empty=', 'equation=a=b', 'quoted="1"'];
  const collected = inputs.reduce<ReturnType<typeof collectInput> | undefined>(
    (all, one) => collectInput(one, all),
    undefined,
  );
  expect(collected).toEqual({ n: 1, list: [1, 2], text: 'hello world', empty: '', equation: 'a=b', quoted: '1' });
});

test.each(['n', '=1', ''])('%p is no input', (text) => expect(() => collectInput(text)).toThrow(/name=value/));

test('a repeatable option keeps its order', () => {
  expect(['a', 'b'].reduce<string[] | undefined>((all, one) => collect(one, all), undefined)).toEqual(['a', 'b']);
});
