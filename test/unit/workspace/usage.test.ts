import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OutputRefused, type Workspace } from '../../../src/workspace/workspace';
import { bytesOf, Fixture, publish } from './fixture';

let fixture: Fixture;
let usageFile: string;

beforeEach(async () => {
  fixture = new Fixture();
  usageFile = join(fixture.tenant, 'usage');
});

afterEach(() => fixture.remove());

/** A workspace with 60 of its 100 bytes in use. */
async function filled(): Promise<Workspace> {
  const workspace = await fixture.workspace({ quotaBytes: 100 });
  await publish(workspace, { 'a.txt': 'a'.repeat(60) });
  return workspace;
}

async function fits(workspace: Workspace, bytes: number): Promise<boolean> {
  const batch = await workspace.publish('probe');
  try {
    await batch.add('probe.txt', bytesOf('x'.repeat(bytes)));
    return true;
  } catch (error) {
    if (error instanceof OutputRefused) return false;
    throw error;
  } finally {
    await batch.abort();
  }
}

test('a refusal names the quota and what is in use', async () => {
  const batch = await (await filled()).publish('batch-2');
  await expect(batch.add('b.txt', bytesOf('b'.repeat(41)))).rejects.toThrow(
    'output file "b.txt" does not fit: the workspace may hold 100 bytes, 60 are in use',
  );
  await batch.abort();
});

test('the last byte of the quota may be used', async () => {
  const workspace = await filled();
  expect(await fits(workspace, 40)).toBe(true);
  expect(await fits(workspace, 41)).toBe(false);
});

test('what another store of the same folder commits counts at once', async () => {
  const workspace = await filled();
  const other = await fixture.workspace({ quotaBytes: 100 });
  await publish(other, { 'b.txt': 'b'.repeat(30) });
  expect(await fits(workspace, 10)).toBe(true);
  expect(await fits(workspace, 11)).toBe(false);
});

test('the tree is not counted again for every batch', async () => {
  const workspace = await filled();
  writeFileSync(join(fixture.files, 'by-hand.txt'), 'x'.repeat(30));
  expect(await fits(workspace, 40)).toBe(true);
});

/** Makes the count look as old as this. */
function age(ms: number): void {
  const [total, countedAt] = readFileSync(usageFile, 'utf8').split('\n')[0]?.split(' ') ?? [];
  writeFileSync(usageFile, `${total} ${Number(countedAt) - ms}\n`);
}

test('recovering counts again what was counted an hour ago, so that changes by hand are seen', async () => {
  const workspace = await filled();
  writeFileSync(join(fixture.files, 'by-hand.txt'), 'x'.repeat(30));
  age(1_800_000);
  await fixture.store({ quotaBytes: 100 }).recover();
  expect(await fits(workspace, 40)).toBe(true);
  age(3_600_000);
  await fixture.store({ quotaBytes: 100 }).recover();
  expect(await fits(workspace, 11)).toBe(false);
});

test('nothing is refused because of an old count', async () => {
  const workspace = await filled();
  rmSync(join(fixture.files, 'a.txt'));
  age(60_000);
  expect(await fits(workspace, 100)).toBe(true);
});

test.each(['', 'noise', '60', '60 1\nnoise\n', '\0\0\0\0'])('a total that reads %j is counted again', async (text) => {
  const workspace = await filled();
  writeFileSync(usageFile, text);
  expect(await fits(workspace, 40)).toBe(true);
  expect(await fits(workspace, 41)).toBe(false);
});

test('a long list of changes is shortened to its sum', async () => {
  const workspace = await filled();
  appendFileSync(usageFile, '1\n-1\n'.repeat(20_000));
  expect(await fits(workspace, 40)).toBe(true);
  expect(statSync(usageFile).size).toBeLessThan(100);
  expect(await fits(workspace, 41)).toBe(false);
});
