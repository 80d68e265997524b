import type { OutputFile } from '../../../src/contract';
import { rootsOf, selectOutputs, type ListedOther, type ListedRoot, type Selection } from '../../../src/runner';

function listed(paths: string[], others: ListedOther[] = []): ListedRoot {
  return { files: paths.map((path) => ({ path, size: 1 })), others };
}

function select(entries: OutputFile[], sandbox: string[], tmp: string[] = []): Selection {
  return selectOutputs(entries, { sandbox: listed(sandbox), tmp: listed(tmp) });
}

function destinations({ outputs }: Selection): [string, string][] {
  return outputs.map(({ sandboxPath, workspacePath }) => [sandboxPath, workspacePath]);
}

test.each<[OutputFile, [string, string][]]>([
  [{ sandboxPath: 'out/a.csv' }, [['out/a.csv', 'out/a.csv']]],
  [{ sandboxPath: '/sandbox/out/a.csv' }, [['out/a.csv', 'out/a.csv']]],
  [{ sandboxPath: './out/a.csv' }, [['out/a.csv', 'out/a.csv']]],
  [{ sandboxPath: '/tmp/t.txt' }, [['/tmp/t.txt', 't.txt']]],
  [{ sandboxPath: 'out/a.csv', workspacePath: 'b.csv' }, [['out/a.csv', 'b.csv']]],
  [{ sandboxPath: 'out/a.csv', workspacePath: 'reports/' }, [['out/a.csv', 'reports/a.csv']]],
  [{ sandboxPath: 'out/*.csv' }, [['out/a.csv', 'out/a.csv'], ['out/b.csv', 'out/b.csv']]], // prettier-ignore
  [{ sandboxPath: 'out/*.csv', workspacePath: 'r' }, [['out/a.csv', 'r/a.csv'], ['out/b.csv', 'r/b.csv']]], // prettier-ignore
  [{ sandboxPath: 'out/a.*', workspacePath: 'r/' }, [['out/a.csv', 'r/a.csv']]],
  [{ sandboxPath: 'out/**/c.csv', workspacePath: 'r' }, [['out/deep/c.csv', 'r/deep/c.csv']]],
  [{ sandboxPath: 'my (dir)/*', workspacePath: 'r' }, [['my (dir)/d.txt', 'r/d.txt']]],
  [{ sandboxPath: '{out,none}/a.csv', workspacePath: 'r' }, [['out/a.csv', 'r/out/a.csv']]],
  [{ sandboxPath: '/tmp/*', workspacePath: 'r' }, [['/tmp/t.txt', 'r/t.txt']]],
])('%j selects %j', (entry, expected) => {
  const files = ['out/b.csv', 'out/a.csv', 'out/deep/c.csv', 'my (dir)/d.txt', 'e.txt'];
  const selection = select([entry], files, ['t.txt']);
  expect(destinations(selection)).toEqual(expected);
  expect(selection.warnings).toEqual([]);
});

test('the file that bears the very name is meant, also where it looks like a glob', () => {
  const files = ['data[1].csv', 'data1.csv', 'a*b', 'axb', 'report (final).csv'];
  expect(destinations(select([{ sandboxPath: 'data[1].csv' }], files))).toEqual([['data[1].csv', 'data[1].csv']]);
  expect(destinations(select([{ sandboxPath: 'a*b', workspacePath: 'star' }], files))).toEqual([['a*b', 'star']]);
  expect(destinations(select([{ sandboxPath: 'report (final).csv', workspacePath: 'f.csv' }], files))).toEqual([
    ['report (final).csv', 'f.csv'],
  ]);
});

test('whether the file of a plain path exists is not for the listing to say', () => {
  expect(select([{ sandboxPath: 'late.txt' }], [])).toMatchObject({ outputs: [{ path: 'late.txt' }], warnings: [] });
});

test('a glob without files is a warning', () => {
  expect(select([{ sandboxPath: 'out/*.csv' }], ['a.csv'])).toMatchObject({
    outputs: [],
    warnings: ['Output file not found: out/*.csv'],
  });
});

test('paths of a listing that are not canonical are never selected', () => {
  const hostile = [
    '../a.csv',
    '/etc/a.csv',
    'x/../a.csv',
    'a//b.csv',
    './a.csv',
    'a\u0000.csv',
    'a\\b.csv',
    '\ud800.csv',
  ];
  const long = `${'x'.repeat(300)}.csv`;
  const patterns = ['**', '*/*', '*/*/*', '.*/*', '../*', '?.csv', '*.csv'].map((sandboxPath) => ({ sandboxPath }));
  expect(select(patterns, [...hostile, long, 'good.csv']).outputs.map(({ path }) => path)).toEqual(['good.csv']);
});

test('what globs mean and cannot be saved is one warning, whatever its number', () => {
  const others: ListedOther[] = [
    { path: 'd/l.txt', kind: 'link' },
    { path: 'd/p.txt', kind: 'fifo' },
    { path: 'e.csv', kind: 'socket' },
    ...Array.from({ length: 9 }, (_, index): ListedOther => ({ path: `d/\ufffd${index}.txt`, kind: 'name' })),
  ];
  const entries = [{ sandboxPath: 'd/*.txt' }, { sandboxPath: '**/*.txt' }];
  const { outputs, warnings } = selectOutputs(entries, { sandbox: listed(['d/a\nb.txt', 'd/ok.txt'], others) });
  expect(outputs.map(({ path }) => path)).toEqual(['d/ok.txt']);
  expect(warnings).toEqual([
    'Output files matched, but not saved: "d/l.txt" is a symbolic link, "d/p.txt" is a named pipe, "d/\ufffd0.txt" has a name that is not UTF-8, and 9 more',
  ]);
});

test('a link that is named besides is left to its own answer', () => {
  const listings = { tmp: listed([], [{ path: 'l', kind: 'link' }]) };
  const { outputs, warnings } = selectOutputs([{ sandboxPath: '/tmp/*' }, { sandboxPath: '/tmp/l' }], listings);
  expect(outputs.map(({ path }) => path)).toEqual(['l']);
  expect(warnings).toEqual([]);
});

test('a glob that finds nothing twice is one warning', () => {
  const entries = [{ sandboxPath: '*.a' }, { sandboxPath: '*.a', workspacePath: 'b' }];
  expect(select(entries, []).warnings).toEqual(['Output file not found: *.a']);
});

test('of two files with one destination the first counts, with a warning', () => {
  const entries = [
    { sandboxPath: 'a/x.csv', workspacePath: 'r/x.csv' },
    { sandboxPath: 'b/*', workspacePath: 'r' },
  ];
  const selection = select(entries, ['b/x.csv', 'b/y.csv']);
  expect(destinations(selection)).toEqual([
    ['a/x.csv', 'r/x.csv'],
    ['b/y.csv', 'r/y.csv'],
  ]);
  expect(selection.warnings).toEqual(['Output file b/x.csv is not saved: a/x.csv goes to r/x.csv, too']);
});

test('a file that two entries mean in the same way is saved once, without a warning', () => {
  const selection = select([{ sandboxPath: '*.csv' }, { sandboxPath: 'a.csv' }], ['a.csv', 'a.csv']);
  expect(destinations(selection)).toEqual([['a.csv', 'a.csv']]);
  expect(selection.warnings).toEqual([]);
});

test('a pattern that takes too long is a warning, and the others go on', () => {
  const costly = `*${'a'.repeat(120)}b`;
  const files = Array.from({ length: 5_000 }, (_, index) => `${'a'.repeat(240)}${index}`);
  const selection = select([{ sandboxPath: 'first.txt' }, { sandboxPath: costly }], files);
  expect(selection.outputs).toHaveLength(1);
  expect(selection.warnings).toEqual([`Output files of ${costly} are not saved: the pattern needs too many steps`]);
});

test('only roots of globs need a listing', () => {
  expect(rootsOf([{ sandboxPath: 'a' }, { sandboxPath: '/tmp/*' }, { sandboxPath: '/tmp/b*' }])).toEqual(['tmp']);
  expect(rootsOf([{ sandboxPath: 'a' }, { sandboxPath: '/tmp/b' }])).toEqual([]);
});
