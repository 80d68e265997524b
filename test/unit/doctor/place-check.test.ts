import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPlace } from '../../../src/doctor/place-check';

const folder = mkdtempSync(join(tmpdir(), 'hourglass-test-'));
const check = (dir: string, wantedBytes = 1): ReturnType<typeof checkPlace> =>
  checkPlace({ dir, variable: 'HOURGLASS_STATE_DIR', wantedBytes });

afterAll(() => rmSync(folder, { recursive: true }));

test('a folder that can be written passes, and nothing is left in it', async () => {
  expect(await check(folder)).toMatchObject({ status: 'pass' });
  expect(readdirSync(folder)).toEqual([]);
});

test('a folder that will be made passes, and is not made', async () => {
  expect(await check(join(folder, 'a', 'b'))).toMatchObject({
    status: 'pass',
    detail: expect.stringContaining('will be made') as string,
  });
  expect(readdirSync(folder)).toEqual([]);
});

test('a file in its place fails with the variable to set', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  for (const dir of [file, join(file, 'below')])
    expect(await check(dir)).toMatchObject({
      status: 'failure',
      remedy: expect.stringContaining('HOURGLASS_STATE_DIR') as string,
    });
});

test('a folder where nothing can be made fails', async () => {
  expect(await check('/proc/hourglass')).toMatchObject({ status: 'failure' });
});

test('less room than a worker needs is a warning', async () => {
  expect(await check(folder, Number.MAX_SAFE_INTEGER)).toMatchObject({ status: 'warning' });
});
