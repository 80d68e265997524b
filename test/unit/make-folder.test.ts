import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../src/make-folder';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hourglass-folder-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a folder and its parents are made; one that is there is left alone', () => {
  makeFolder(join(dir, 'a/b/c'));
  makeFolder(join(dir, 'a/b/c'));
  expect(statSync(join(dir, 'a/b/c')).isDirectory()).toBe(true);
});

test('a place where no folder can be is an error that comes back', () => {
  writeFileSync(join(dir, 'file'), '');
  for (const place of [join(dir, 'file'), join(dir, 'file/below'), '/proc/nowhere/below']) {
    expect(() => makeFolder(place)).toThrow(/^E[A-Z]+/);
  }
});
