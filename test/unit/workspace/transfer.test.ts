import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportFile, importFiles } from '../../../src/workspace/transfer';
import type { Workspace } from '../../../src/workspace/workspace';
import { Fixture, listed, publish, read } from './fixture';

let fixture: Fixture;
let workspace: Workspace;
let local: string;

beforeEach(async () => {
  fixture = new Fixture();
  workspace = await fixture.workspace();
  local = join(fixture.dir, 'local');
  mkdirSync(local);
});

afterEach(() => fixture.remove());

test('local files are copied into a workspace', async () => {
  writeFileSync(join(local, 'a.csv'), 'a,b\n');
  writeFileSync(join(local, 'b.csv'), 'c,d\n');
  const saved = await importFiles(workspace, [
    { localPath: join(local, 'a.csv'), workspacePath: 'data/a.csv' },
    { localPath: join(local, 'b.csv'), workspacePath: 'data/b.csv' },
  ]);
  expect(saved.map((file) => [file.workspacePath, file.size])).toEqual([
    ['data/a.csv', 4],
    ['data/b.csv', 4],
  ]);
  expect(await read(workspace, 'data/a.csv')).toBe('a,b\n');
});

test('none is copied where one cannot be', async () => {
  writeFileSync(join(local, 'a.csv'), 'a');
  const imports = ['a.csv', 'missing.csv'].map((name) => ({ localPath: join(local, name), workspacePath: name }));
  await expect(importFiles(workspace, imports)).rejects.toMatchObject({
    code: 'INPUT_FILE_ERROR',
    message: `input file "${join(local, 'missing.csv')}" does not exist`,
  });
  expect(await listed(workspace)).toEqual([]);
  expect(fixture.leftovers()).toEqual([]);
});

test('a local link is followed; a local pipe or folder is refused without waiting', async () => {
  writeFileSync(join(local, 'real.txt'), 'real');
  symlinkSync('real.txt', join(local, 'link.txt'));
  execFileSync('mkfifo', [join(local, 'pipe')]);
  await importFiles(workspace, [{ localPath: join(local, 'link.txt'), workspacePath: 'link.txt' }]);
  expect(await read(workspace, 'link.txt')).toBe('real');
  for (const name of ['pipe', '.']) {
    const refused = importFiles(workspace, [{ localPath: join(local, name), workspacePath: 'x' }]);
    await expect(refused).rejects.toThrow('is not a regular file');
  }
});

test('a workspace file is copied to a local file, which is replaced', async () => {
  await publish(workspace, { 'a.txt': 'from the workspace' });
  writeFileSync(join(local, 'a.txt'), 'a longer text that was there before');
  await exportFile(workspace, 'a.txt', join(local, 'a.txt'));
  expect(readFileSync(join(local, 'a.txt'), 'utf8')).toBe('from the workspace');
  expect(readdirSync(local)).toEqual(['a.txt']);
});

test('a link in the place of the local file is replaced, and what it names stays', async () => {
  await publish(workspace, { 'a.txt': 'from the workspace' });
  writeFileSync(join(local, 'target.txt'), 'untouched');
  symlinkSync('target.txt', join(local, 'a.txt'));
  await exportFile(workspace, 'a.txt', join(local, 'a.txt'));
  expect(lstatSync(join(local, 'a.txt')).isFile()).toBe(true);
  expect(readFileSync(join(local, 'target.txt'), 'utf8')).toBe('untouched');
});

test('a local place that cannot be written is named, and nothing is left there', async () => {
  await publish(workspace, { 'a.txt': 'a' });
  mkdirSync(join(local, 'folder'));
  await expect(exportFile(workspace, 'a.txt', join(local, 'folder'))).rejects.toThrow(join(local, 'folder'));
  await expect(exportFile(workspace, 'a.txt', join(local, 'no', 'such', 'folder'))).rejects.toThrow('ENOENT');
  await expect(exportFile(workspace, 'missing.txt', join(local, 'x'))).rejects.toThrow('does not exist');
  expect(readdirSync(local)).toEqual(['folder']);
});
