import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Workspace } from '../../src/workspace/workspace';
import { ALICE, content, list, publish, read, STORES, type StoreUnderTest } from './workspace-stores';

describe.each(Object.entries(STORES))('a workspace store on %s', (_, create) => {
  let underTest: StoreUnderTest;
  let workspace: Workspace;

  beforeEach(async () => {
    underTest = await create();
    workspace = await underTest.store.open(ALICE);
  });

  afterEach(() => underTest.remove());

  test('an empty workspace lists nothing and has no file', async () => {
    expect(await list(workspace)).toEqual([]);
    await expect(workspace.open('a.txt')).rejects.toMatchObject({
      code: 'INPUT_FILE_ERROR',
      message: 'input file "a.txt" does not exist',
      details: { path: 'a.txt' },
    });
  });

  test('a published file is read back byte by byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_value, index) => (index * 7) % 256));
    const batch = await workspace.publish('batch-1');
    await batch.add('data/noise.bin', content(bytes));
    await batch.commit();
    const file = await workspace.open('data/noise.bin');
    const chunks: Buffer[] = [];
    for await (const chunk of file.stream() as AsyncIterable<Buffer>) chunks.push(chunk);
    expect(file.size).toBe(bytes.length);
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  });

  test('a saved file carries path, size, hash, media type and where it came from', async () => {
    const batch = await workspace.publish('batch-1');
    const saved = await batch.add('out/table.csv', content('a,b\n1,2\n'), { sandboxPath: 'table.csv' });
    const sha256 = createHash('sha256').update('a,b\n1,2\n').digest('hex');
    const expected = {
      workspacePath: 'out/table.csv',
      size: 8,
      sha256,
      mediaType: 'text/csv',
      sandboxPath: 'table.csv',
    };
    expect(saved).toEqual(expected);
    expect(await batch.commit()).toEqual([expected]);
  });

  test('an empty file is a file', async () => {
    await publish(workspace, 'batch-1', { 'empty.txt': '' });
    expect(await read(workspace, 'empty.txt')).toBe('');
    expect(await list(workspace)).toEqual(['empty.txt']);
  });

  test('nothing of a batch is visible before its commit, everything is after it', async () => {
    const batch = await workspace.publish('batch-1');
    await batch.add('a.txt', content('a'));
    await batch.add('deep/b.txt', content('b'));
    expect(await list(workspace)).toEqual([]);
    await batch.commit();
    expect(await list(workspace)).toEqual(['a.txt', 'deep/b.txt']);
  });

  test('an aborted batch leaves nothing, and aborting again or after a commit does no harm', async () => {
    const aborted = await workspace.publish('batch-1');
    await aborted.add('a.txt', content('a'));
    await aborted.abort();
    await aborted.abort();
    expect(await list(workspace)).toEqual([]);
    const committed = await workspace.publish('batch-2');
    await committed.add('a.txt', content('a'));
    await committed.commit();
    await committed.abort();
    expect(await list(workspace)).toEqual(['a.txt']);
  });

  test('a batch without files commits to nothing', async () => {
    expect(await (await workspace.publish('batch-1')).commit()).toEqual([]);
  });

  test('a batch that has ended takes nothing more', async () => {
    const batch = await workspace.publish('batch-1');
    await batch.commit();
    await expect(batch.add('a.txt', content('a'))).rejects.toThrow('committed or aborted');
    await expect(batch.commit()).rejects.toThrow('committed or aborted');
  });

  test('a published file replaces the one before', async () => {
    await publish(workspace, 'batch-1', { 'a.txt': 'first, and longer' });
    await publish(workspace, 'batch-2', { 'a.txt': 'second' });
    expect(await read(workspace, 'a.txt')).toBe('second');
    expect(await list(workspace)).toEqual(['a.txt']);
  });

  test('who reads while a file is replaced gets the whole file before', async () => {
    await publish(workspace, 'batch-1', { 'a.txt': 'before' });
    const file = await workspace.open('a.txt');
    await publish(workspace, 'batch-2', { 'a.txt': 'after' });
    const chunks: Buffer[] = [];
    for await (const chunk of file.stream() as AsyncIterable<Buffer>) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('before');
  });

  test('of two batches with the same path the one committed last wins', async () => {
    const one = await workspace.publish('batch-1');
    const other = await workspace.publish('batch-2');
    await one.add('a.txt', content('one'));
    await other.add('a.txt', content('other'));
    await other.commit();
    await one.commit();
    expect(await read(workspace, 'a.txt')).toBe('one');
  });

  test('a later attempt at a batch takes the place of an earlier one', async () => {
    const earlier = await workspace.publish('batch-1');
    await earlier.add('a.txt', content('earlier'));
    await earlier.add('only-earlier.txt', content('earlier'));
    await publish(workspace, 'batch-1', { 'a.txt': 'later' });
    await expect(earlier.commit()).rejects.toMatchObject({ code: 'WORKSPACE_ERROR' });
    expect(await read(workspace, 'a.txt')).toBe('later');
    expect(await list(workspace)).toEqual(['a.txt']);
  });

  test('batches whose ids begin alike do not touch each other', async () => {
    const one = await workspace.publish('batch-1');
    await one.add('a.txt', content('a'));
    await publish(workspace, 'batch-10', { 'b.txt': 'b' });
    await publish(workspace, 'batch', { 'c.txt': 'c' });
    await one.commit();
    expect(await list(workspace)).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });

  test('listing takes a prefix of the path, at a folder or within a name', async () => {
    await publish(workspace, 'batch-1', {
      'data/a.txt': '1',
      'data/ab.txt': '2',
      'data/b/c.txt': '3',
      'database.txt': '4',
    });
    expect(await list(workspace, 'data/')).toEqual(['data/a.txt', 'data/ab.txt', 'data/b/c.txt']);
    expect(await list(workspace, 'data/a')).toEqual(['data/a.txt', 'data/ab.txt']);
    expect(await list(workspace, 'data')).toHaveLength(4);
    expect(await list(workspace, 'nothing/here')).toEqual([]);
  });

  test('a removed file is gone, its folder with it, and removing it again is no error', async () => {
    await publish(workspace, 'batch-1', { 'a/b/c.txt': 'c' });
    await workspace.remove('a/b/c.txt');
    await workspace.remove('a/b/c.txt');
    expect(await list(workspace)).toEqual([]);
    await publish(workspace, 'batch-2', { a: 'now a file' });
    expect(await read(workspace, 'a')).toBe('now a file');
  });

  test("a source's own error comes back as it is, and the batch keeps the other files", async () => {
    const broken = Object.assign(new Error('the sandbox is gone'), { code: 'ENOENT' });
    async function* failing(): AsyncGenerator<Buffer> {
      yield Buffer.from('some');
      throw broken;
    }
    const batch = await workspace.publish('batch-1');
    await batch.add('a.txt', content('a'));
    await expect(batch.add('b.txt', Readable.from(failing()))).rejects.toBe(broken);
    await batch.add('b.txt', content('second try'));
    await batch.commit();
    expect(await read(workspace, 'b.txt')).toBe('second try');
  });

  test('aborting ends files that are on their way', async () => {
    const batch = await workspace.publish('batch-1');
    const endless = new Readable({ read: () => undefined });
    endless.push('some');
    const adding = batch.add('a.txt', endless);
    const outcome = expect(adding).rejects.toThrow('aborted');
    await batch.abort();
    await outcome;
    expect(endless.destroyed).toBe(true);
    expect(await list(workspace)).toEqual([]);
  });

  test('a commit does not pass over a file that is still on its way', async () => {
    const batch = await workspace.publish('batch-1');
    const slow = new Readable({ read: () => undefined });
    const adding = batch.add('a.txt', slow);
    await expect(batch.commit()).rejects.toThrow('still on their way');
    slow.push('late');
    slow.push(null);
    await adding;
    await batch.commit();
    expect(await read(workspace, 'a.txt')).toBe('late');
  });

  test('files may arrive at the same time', async () => {
    const batch = await workspace.publish('batch-1');
    const paths = Array.from({ length: 50 }, (_value, index) => `many/${index}.txt`);
    await Promise.all(paths.map((path) => batch.add(path, content(path))));
    await batch.commit();
    for (const path of paths) expect(await read(workspace, path)).toBe(path);
  });

  test('recovering disturbs nothing that is stored or under way', async () => {
    await publish(workspace, 'batch-1', { 'a.txt': 'a' });
    const batch = await workspace.publish('batch-2');
    await batch.add('b.txt', content('b'));
    await Promise.all([underTest.store.recover(), underTest.store.recover()]);
    await batch.commit();
    expect(await list(workspace)).toEqual(['a.txt', 'b.txt']);
  });
});
