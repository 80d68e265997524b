import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { History, MAX_CHARACTERS, MAX_LINES } from '../../../../src/cli/session/history';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hourglass-test-'));
  path = join(folder, 'state', 'history');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (file: string): number => statSync(file).mode & 0o777;

test('lines are there the next time, the newest first, and nobody else may read them', () => {
  const history = History.open(path);
  for (const line of ['a', 'b', 'b', '  ', 'c']) history.add(line);
  expect(history.newestFirst).toEqual(['c', 'b', 'a']);
  expect(History.open(path).newestFirst).toEqual(['c', 'b', 'a']);
  expect(modeOf(path)).toBe(0o600);
});

test('a file that others may read is theirs no more after the next line', () => {
  History.open(path).add('a');
  chmodSync(path, 0o644);
  History.open(path).add('b');
  expect(modeOf(path)).toBe(0o600);
});

test('lines beyond the bound are forgotten, and the file does not grow for ever', () => {
  const history = History.open(path);
  for (let n = 0; n < 3 * MAX_LINES; n += 1) history.add(`line ${n}`);
  expect(history.newestFirst).toHaveLength(MAX_LINES);
  const written = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  expect(written.length).toBeLessThanOrEqual(2 * MAX_LINES);
  expect(written.at(-1)).toBe(`line ${3 * MAX_LINES - 1}`);
  expect(modeOf(path)).toBe(0o600);
  expect(History.open(path).newestFirst[0]).toBe(`line ${3 * MAX_LINES - 1}`);
});

test('a line that was hardly typed is left out', () => {
  const history = History.open(path);
  history.add('x'.repeat(MAX_CHARACTERS + 1));
  expect(history.newestFirst).toEqual([]);
});

test('a file that cannot be written costs the history and nothing else', () => {
  writeFileSync(join(folder, 'state'), '');
  const history = History.open(path);
  history.add('a');
  expect(history.newestFirst).toEqual(['a']);
});

test('a link in the place of the file is not followed', () => {
  const target = join(folder, 'target');
  writeFileSync(target, 'kept\n');
  symlinkSync(target, join(folder, 'link'));
  History.open(join(folder, 'link')).add('a');
  expect(readFileSync(target, 'utf8')).toBe('kept\n');
});
