import { Glob, GlobBudget, GlobTooCostly } from '../../../src/runner/glob';
import { expandBraces } from '../../../src/runner/glob-braces';

function matches(pattern: string, path: string): boolean {
  return new Glob(pattern).matches(path, new GlobBudget(1_000_000));
}

test.each([
  ['*.csv', ['a.csv', 'ü.csv', 'a b.csv'], ['a.csvx', 'a.CSV', 'out/a.csv', '.a.csv', 'csv']],
  ['out/*', ['out/a', 'out/a.b'], ['out', 'out/.a', 'out/a/b', 'outs/a']],
  ['?.txt', ['a.txt', '漢.txt', '😀.txt'], ['ab.txt', '.txt']],
  ['a*b*c', ['abc', 'a1b2c', 'abbcc', 'abcbc'], ['abcd', 'ac', 'bac']],
  ['*a*b', ['ab', 'xaxxb', 'aabab'], ['ba', 'abx']],
  ['**', ['a', 'a/b', 'a/b/c.txt'], ['.a', 'a/.b', '.a/b']],
  ['**/*.csv', ['a.csv', 'x/a.csv', 'x/y/a.csv'], ['x/.y/a.csv', 'x/.a.csv', 'a.txt']],
  ['out/**', ['out/a', 'out/a/b'], ['out', 'outs/a', 'out/.a', 'out/.a/b']],
  ['out/**/b', ['out/b', 'out/x/b', 'out/x/b/b'], ['out', 'b', 'out/b/x']],
  ['**/a/**/b', ['a/b', 'x/a/y/b', 'a/a/b/b'], ['b/a', 'a/.x/b']],
  ['a**b', ['ab', 'axxb'], ['a/b']],
  ['.*', ['.a', '.env'], ['a']],
  ['.cache/**', ['.cache/a', '.cache/a/b'], ['.cache/.a', 'cache/a']],
  ['[abc].txt', ['a.txt', 'c.txt'], ['d.txt', 'ab.txt', '[abc].txt']],
  ['[a-c0-9]', ['b', '5'], ['d', '-']],
  ['[!a-c]', ['d', '-', '!'], ['a', '.']],
  ['[^x]y', ['ay'], ['xy', '.y']],
  ['[]]', [']'], ['[']],
  ['[a-]', ['a', '-'], ['b']],
  ['[]', ['[]'], [']']],
  ['f[[:digit:]_]', ['f1', 'f_'], ['fa', 'f[', 'f:']],
  ['[![:upper:]x-z]', ['a', '1'], ['A', 'y']],
  ['[[:nothing:]]', [], ['n', ':']],
  ['[ab', ['[ab'], ['a']],
  ['{a,b}.csv', ['a.csv', 'b.csv'], ['ab.csv', '{a,b}.csv']],
  ['{a,b/{c,d}}/*', ['a/x', 'b/c/x', 'b/d/x'], ['b/x', 'c/x']],
  ['figure-{1..3}.png', ['figure-1.png', 'figure-3.png'], ['figure-4.png', 'figure-{1..3}.png']],
  ['{3..1}', ['1', '2', '3'], ['4']],
  ['{a}', ['{a}'], ['a']],
  ['{a,b', ['{a,b'], ['a', 'b']],
  ['*.{js,ts}{,x}', ['a.js', 'a.tsx'], ['a.x']],
  ['a(b|c)', ['a(b|c)'], ['ab']],
  ['!a', ['!a'], ['b']],
  ['+(a)', ['+(a)'], ['a', 'aa']],
])('%s matches what bash matches', (pattern, good, bad) => {
  expect(good.filter((path) => !matches(pattern, path))).toEqual([]);
  expect(bad.filter((path) => matches(pattern, path))).toEqual([]);
});

test.each([
  ['a.csv', false],
  ['report (final).csv', false],
  ['a!b', false],
  ['a[b', false],
  ['a{b}', false],
  ['*.csv', true],
  ['a?', true],
  ['[ab]', true],
  ['{a,b}', true],
])('%s is a pattern: %s', (pattern, isPattern) => {
  expect(new Glob(pattern).isPattern).toBe(isPattern);
});

test.each([
  ['*a'.repeat(100) + '*b', 'a'.repeat(255)],
  ['**/a/'.repeat(100) + 'b', 'a/'.repeat(500) + 'c'],
  ['**/*a*a*a*b'.repeat(20), `${'a'.repeat(60)}/`.repeat(15) + 'a'],
  ['[a-z]*'.repeat(80) + '!', 'a'.repeat(255)],
  ['?*'.repeat(100) + 'b', 'a'.repeat(255)],
])('the steps of %s stay below pattern times path', (pattern, path) => {
  const steps = 4 * pattern.length * path.length;
  expect(new Glob(pattern).matches(path, new GlobBudget(steps))).toBe(false);
});

test('a budget that is spent ends the matching', () => {
  const budget = new GlobBudget(100);
  const glob = new Glob('*a*b');
  expect(() => {
    for (let index = 0; index < 100; index += 1) glob.matches('aaaaaaaa', budget);
  }).toThrow(GlobTooCostly);
});

test('braces with too many alternatives are refused, however they are written', () => {
  expect(expandBraces('{1..1000}')).toHaveLength(1_000);
  for (const pattern of [
    '{1..1001}',
    '{1..999999999}',
    '{a,b}'.repeat(10),
    '{{1..600},{1..600}}{a,b}',
    '{,{1..2000}}',
  ]) {
    expect(() => new Glob(pattern)).toThrow(GlobTooCostly);
  }
});

test('hundreds of nested and unclosed braces are read', () => {
  expect(matches('{a,'.repeat(300) + 'b' + '}'.repeat(300), 'b')).toBe(true);
  expect(matches('{'.repeat(1_000), '{'.repeat(1_000))).toBe(true);
});
