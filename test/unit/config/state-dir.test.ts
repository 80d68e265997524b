import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../src/config';
import { ensureStateDir } from '../../../src/config/state-dir';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hourglass-state-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a folder that is missing is made, with its parents', async () => {
  await ensureStateDir(join(dir, 'a/b'));
  await ensureStateDir(join(dir, 'a/b'));
  expect(statSync(join(dir, 'a/b')).isDirectory()).toBe(true);
});

test('a place that cannot be a folder is an error of the configuration that names the variable', async () => {
  const file = join(dir, 'file');
  writeFileSync(file, '');
  for (const place of [file, join(file, 'below'), '/proc/nowhere/below']) {
    const attempt = ensureStateDir(place);
    await expect(attempt).rejects.toThrow(ConfigError);
    await expect(attempt).rejects.toThrow(`HOURGLASS_STATE_DIR=${JSON.stringify(place)}: cannot be used as a folder`);
  }
});
