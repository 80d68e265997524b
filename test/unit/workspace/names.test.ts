import { encodeName, spellings } from '../../../src/workspace/names';
import { mediaTypeOf } from '../../../src/workspace/media-type';

test.each([
  ['default', 'default'],
  ['alice@example.com', 'alice@example.com'],
  ['Alice', '%41lice'],
  ['a:b', 'a%3ab'],
  ['.hidden', '%2ehidden'],
  ['..', '%2e.'],
  ['a/b', 'a%2fb'],
  ['a~b', 'a%7eb'],
  ['100%', '100%25'],
  ['é', '%c3%a9'],
])('the id %j lies in the folder %j', (id, folder) => {
  expect(encodeName(id)).toBe(folder);
});

test('ids that differ have folders that differ, also where case is ignored', () => {
  const alphabet = ['a', 'A', '%', '.', ':', '~', '4', '1', '%41', '%%'];
  const ids = alphabet.flatMap((one) => alphabet.flatMap((two) => alphabet.map((three) => one + two + three)));
  const distinct = new Set(ids);
  expect(new Set([...distinct].map((id) => encodeName(id).toLowerCase())).size).toBe(distinct.size);
});

test('long ids stay within a file name and apart from each other', () => {
  const one = encodeName(`${'A'.repeat(127)}B`);
  const other = encodeName(`${'A'.repeat(127)}C`);
  expect(one).not.toBe(other);
  expect(one.length).toBeLessThanOrEqual(160);
});

test('a path is looked up as given, composed and decomposed, each once', () => {
  expect(spellings('plain')).toEqual(['plain']);
  expect(spellings('\u00e9')).toEqual(['\u00e9', 'e\u0301']);
  expect(spellings('e\u0301')).toEqual(['e\u0301', '\u00e9']);
});

test.each([
  ['a/table.csv', 'text/csv'],
  ['CHART.PNG', 'image/png'],
  ['program.ts', 'text/typescript'],
  ['program.py', 'text/x-python'],
  ['rows.jsonl', 'application/jsonl'],
  ['data.parquet', 'application/vnd.apache.parquet'],
  ['Makefile', 'application/octet-stream'],
  ['.bashrc', 'application/octet-stream'],
  ['x.unheard-of', 'application/octet-stream'],
])('%s is %s', (path, type) => {
  expect(mediaTypeOf(path)).toBe(type);
});
