import {
  describePathFault,
  isGlob,
  outputPatternSchema,
  sandboxPathSchema,
  splitOutputPattern,
  workspacePathSchema,
} from '../../../src/contract';

test.each(['a', 'a/b/c.txt', '.hidden', 'a b', 'ünïcödé/日本', '-rf', '...', 'a.', "it's", '~', 'C:'])(
  '%p is a good path',
  (path) => expect(describePathFault(path)).toBeUndefined(),
);

test.each([
  ['', /empty/],
  ['/etc/passwd', /absolute/],
  ['..', /"\.\."/],
  ['a/../b', /"\.\."/],
  ['a//b', /empty segment/],
  ['a/', /empty segment/],
  ['a\0b', /control character/],
  ['a\nb', /control character/],
  ['a\u007fb', /control character/],
  ['..\\b', /backslash/],
  ['a\ud800', /Unicode/],
  ['x'.repeat(256), /segment longer/],
  ['é'.repeat(128), /segment longer/],
  [`${'a/'.repeat(512)}b`, /longer than 1024 bytes/],
])('%p is refused', (path, why) => {
  expect(describePathFault(path)).toMatch(why);
  expect(workspacePathSchema.safeParse(path).success).toBe(false);
});

test('a path may begin in the current folder', () => {
  expect(workspacePathSchema.parse('./a/b.txt')).toBe('a/b.txt');
  expect(workspacePathSchema.safeParse('./../b.txt').success).toBe(false);
});

test('a sandbox path may be written below /sandbox', () => {
  expect(sandboxPathSchema.parse('/sandbox/a/b')).toBe('a/b');
  expect(sandboxPathSchema.parse('a/b')).toBe('a/b');
  for (const path of ['/sandbox', '/sandbox/', '/sandbox//a', '/sandboxes/a', '/sandbox/../etc', '/tmp/a']) {
    expect(sandboxPathSchema.safeParse(path).success).toBe(false);
  }
});

test.each([
  ['out.csv', 'sandbox', 'out.csv'],
  ['./out.csv', 'sandbox', 'out.csv'],
  ['/sandbox/out.csv', 'sandbox', 'out.csv'],
  ['/tmp/a/*.png', 'tmp', 'a/*.png'],
])('%s is taken from %s', (pattern, root, below) => {
  expect(splitOutputPattern(pattern)).toEqual({ root, pattern: below });
  expect(outputPatternSchema.safeParse(pattern).success).toBe(true);
});

test.each(['/etc/passwd', '/tmp/../etc/passwd', '../*', '**/../x', '/tmp/', ''])('%p is no output pattern', (pattern) =>
  expect(outputPatternSchema.safeParse(pattern).success).toBe(false),
);

test('a glob is told from a name', () => {
  expect(['*.csv', 'a?', 'a[0]', '{a,b}', '!a'].map(isGlob)).toEqual(Array(5).fill(true));
  expect(['a.csv', 'a/b', 'a-b_c'].map(isGlob)).toEqual(Array(3).fill(false));
});
