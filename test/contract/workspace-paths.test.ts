import type { Tenant } from '../../src/contract';
import { OutputRefused, type PublishBatch, type Workspace } from '../../src/workspace/workspace';
import {
  ALICE,
  content,
  list,
  MAX_FILE_BYTES,
  publish,
  QUOTA_BYTES,
  read,
  STORES,
  type StoreUnderTest,
} from './workspace-stores';

describe.each(Object.entries(STORES))('the paths, sizes and tenants of a workspace store on %s', (_, create) => {
  let underTest: StoreUnderTest;
  let workspace: Workspace;

  beforeEach(async () => {
    underTest = await create();
    workspace = await underTest.store.open(ALICE);
  });

  afterEach(() => underTest.remove());

  test.each([
    '',
    '/etc/passwd',
    '../x',
    'a/../../x',
    './a',
    'a//b',
    'a/',
    'a\0b',
    'a\nb',
    'a\\b',
    `${'x'.repeat(256)}`,
  ])('R25: the path %j is refused for reading, writing and removing', async (path) => {
    const batch = await workspace.publish('batch-1');
    await expect(batch.add(path, content('x'))).rejects.toThrow(OutputRefused);
    await batch.abort();
    await expect(workspace.open(path)).rejects.toMatchObject({ code: 'INPUT_FILE_ERROR' });
    await expect(workspace.remove(path)).rejects.toMatchObject({ code: 'INPUT_FILE_ERROR' });
    expect(workspace.locate(path)).toBeUndefined();
  });

  test.each([
    'plain.txt',
    '.hidden',
    '...',
    'a..b/..c/d..',
    ' leading and trailing ',
    'naïve/日本語/🚀.csv',
    '-rf',
    'it\'s; $(here) & "there" *?[x]',
    'a:b|c<d>e',
    `${'é'.repeat(127)}`,
    `${'d/'.repeat(200)}deep.txt`,
    'con/nul.txt',
  ])('R25: the path %j is good', async (path) => {
    await publish(workspace, 'batch-1', { [path]: path });
    expect(await read(workspace, path)).toBe(path);
    expect(await list(workspace)).toEqual([path.normalize('NFC')]);
  });

  test('composed and decomposed spellings are the same file', async () => {
    await publish(workspace, 'batch-1', { 'cafe\u0301.txt': 'first' });
    await publish(workspace, 'batch-2', { 'caf\u00e9.txt': 'second' });
    expect(await list(workspace)).toEqual(['caf\u00e9.txt']);
    expect(await read(workspace, 'cafe\u0301.txt')).toBe('second');
  });

  test('a file cannot take the place of a folder, nor a folder that of a file', async () => {
    await publish(workspace, 'batch-1', { 'folder/a.txt': 'a', file: 'b' });
    const batch = await workspace.publish('batch-2');
    await expect(batch.add('folder', content('x'))).rejects.toThrow(OutputRefused);
    await expect(batch.add('file/x', content('x'))).rejects.toThrow(OutputRefused);
    await batch.add('other.txt', content('kept'));
    await batch.commit();
    expect(await list(workspace)).toEqual(['file', 'folder/a.txt', 'other.txt']);
  });

  test.each([
    ['a', 'a'],
    ['a', 'a/b'],
    ['a/b', 'a'],
  ])('one batch cannot hold both %j and %j', async (first, second) => {
    const batch = await workspace.publish('batch-1');
    await batch.add(first, content('x'));
    await expect(batch.add(second, content('x'))).rejects.toThrow(OutputRefused);
    await batch.commit();
    expect(await list(workspace)).toEqual([first]);
  });

  test('R27: a file above the size a file may have is refused, and the batch keeps the others', async () => {
    const batch = await workspace.publish('batch-1');
    await batch.add('small.txt', content('small'));
    const large = content(Buffer.alloc(MAX_FILE_BYTES + 1));
    await expect(batch.add('large.bin', large)).rejects.toMatchObject({
      name: 'OutputRefused',
      path: 'large.bin',
      bound: { max: MAX_FILE_BYTES },
    });
    expect(large.destroyed).toBe(true);
    await batch.commit();
    expect(await list(workspace)).toEqual(['small.txt']);
  });

  test('a caller may ask for a smaller size, and exactly that size is allowed', async () => {
    const batch = await workspace.publish('batch-1');
    await expect(batch.add('a.txt', content('12345'), { maxBytes: 4 })).rejects.toThrow(
      'output file "a.txt" is larger than the 4 bytes a file may have',
    );
    await batch.add('a.txt', content('1234'), { maxBytes: 4 });
    await batch.commit();
    expect(await read(workspace, 'a.txt')).toBe('1234');
  });

  test('R27: the quota counts what is stored, what is on its way, and only the difference where a file is replaced', async () => {
    const third = Buffer.alloc(QUOTA_BYTES / 4);
    const fill = async (batch: PublishBatch, path: string): Promise<unknown> => batch.add(path, content(third));
    const one = await workspace.publish('batch-1');
    await fill(one, 'a');
    await fill(one, 'b');
    await one.commit();
    const two = await workspace.publish('batch-2');
    const three = await workspace.publish('batch-3');
    await fill(two, 'c');
    await fill(three, 'd');
    await expect(fill(three, 'e')).rejects.toMatchObject({ name: 'OutputRefused', bound: { max: QUOTA_BYTES } });
    await fill(two, 'a');
    await two.commit();
    await three.commit();
    await workspace.remove('b');
    const four = await workspace.publish('batch-4');
    await fill(four, 'e');
    await expect(fill(four, 'f')).rejects.toThrow(OutputRefused);
    await four.commit();
    expect(await list(workspace)).toEqual(['a', 'c', 'd', 'e']);
  });

  test('room that a refused or aborted file took is free again', async () => {
    for (const batchId of ['batch-1', 'batch-2', 'batch-3', 'batch-4']) {
      const batch = await workspace.publish(batchId);
      await batch.add('a', content(Buffer.alloc(MAX_FILE_BYTES)));
      await expect(batch.add('b', content(Buffer.alloc(MAX_FILE_BYTES + 1)))).rejects.toThrow(OutputRefused);
      await batch.abort();
    }
    expect(await list(workspace)).toEqual([]);
  });

  test('tenants do not see each other, not even those that differ in case only', async () => {
    const tenants: Tenant[] = [
      ALICE,
      { workspaceId: 'acme', userId: 'Alice' },
      { workspaceId: 'acme', userId: 'alice.' },
      { workspaceId: 'Acme', userId: 'alice' },
      { workspaceId: 'alice', userId: 'acme' },
      { workspaceId: 'acme:alice', userId: 'x' },
      { workspaceId: 'A'.repeat(128), userId: 'B'.repeat(128) },
      { workspaceId: 'A'.repeat(128), userId: `${'B'.repeat(127)}b` },
    ];
    const spaces = await Promise.all(tenants.map((tenant) => underTest.store.open(tenant)));
    for (const [index, space] of spaces.entries()) await publish(space, 'batch-1', { 'who.txt': String(index) });
    for (const [index, space] of spaces.entries()) expect(await read(space, 'who.txt')).toBe(String(index));
  });

  test.each(['..', '.', '', 'a/b', '.hidden', 'x'.repeat(129), 'ä', 'a\0'])(
    'the tenant id %j is refused',
    async (id) => {
      for (const tenant of [
        { workspaceId: id, userId: 'alice' },
        { workspaceId: 'acme', userId: id },
      ]) {
        await expect(underTest.store.open(tenant)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
      }
    },
  );
});
