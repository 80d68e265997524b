import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePrometheus } from '../../../infra/setup/prometheus/index.js';

const PROGRAMS = ['prometheus', 'promtool'];
const before = { PATH: process.env.PATH, HOURGLASS_CACHE_DIR: process.env.HOURGLASS_CACHE_DIR };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hourglass-prometheus-'));
  process.env.PATH = join(folder, 'bin');
  process.env.HOURGLASS_CACHE_DIR = join(folder, 'cache');
});

afterEach(() => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  rmSync(folder, { recursive: true, force: true });
});

function place(where: string, names: readonly string[]): Record<string, string> {
  mkdirSync(join(folder, where), { recursive: true });
  const paths = names.map((name) => [name, join(folder, where, name)] as const);
  for (const [, path] of paths) writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 });
  return Object.fromEntries(paths);
}

test('a Prometheus on the PATH is used before the one that was fetched', async () => {
  const there = place('bin', PROGRAMS);
  place('cache/prometheus', PROGRAMS);
  expect(await ensurePrometheus()).toMatchObject(there);
});

test('a server without its tool on the PATH does not count: the one that was fetched is used', async () => {
  place('bin', ['prometheus']);
  const fetched = place('cache/prometheus', PROGRAMS);
  expect(await ensurePrometheus()).toMatchObject({ ...fetched, way: expect.stringContaining('fetched earlier') });
});
