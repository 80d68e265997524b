import { join } from 'node:path';
import { Readable } from 'node:stream';
import { OutputRefused } from '../../../src/workspace/workspace';
import { TypeScriptProcess } from '../../support/typescript-process';
import { Fixture, publish } from './fixture';

const MiB = 1024 ** 2;

let fixture: Fixture;

beforeEach(() => {
  fixture = new Fixture();
});

afterEach(() => fixture.remove());

test('200 MB in and out again take less than 64 MiB of memory', async () => {
  const child = new TypeScriptProcess(join(__dirname, 'stream-large.ts'), [fixture.root, String(200 * MiB)]);
  expect(await child.end()).toEqual({ code: 0, signal: null, stderr: '' });
  const { read, growth } = JSON.parse(child.lines[0] ?? '{}') as { read: number; growth: number };
  expect(read).toBe(200 * MiB);
  expect(growth).toBeLessThan(64 * MiB);
});

test('a file is read no further than its reader is', async () => {
  const workspace = await fixture.workspace();
  await publish(workspace, { 'large.bin': 'x'.repeat(8 * MiB) });
  const stream = (await workspace.open('large.bin')).stream();
  await new Promise((resolve) => stream.once('readable', resolve));
  await workspace.publish('batch-2').then((batch) => batch.abort());
  expect(stream.readableLength).toBeLessThanOrEqual(MiB);
  stream.destroy();
});

test('a refused file is not read to its end', async () => {
  let pulled = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) {
      pulled += 1024;
      yield Buffer.alloc(1024);
    }
  }
  const workspace = await fixture.workspace({ maxFileBytes: 100 * 1024 });
  const batch = await workspace.publish('batch-1');
  await expect(batch.add('a.bin', Readable.from(endless(), { objectMode: false }))).rejects.toThrow(OutputRefused);
  expect(pulled).toBeLessThan(300 * 1024);
  await batch.abort();
});
