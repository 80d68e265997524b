import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Lookup } from '../../../src/workspace/directory';
import { OutputRefused, type Workspace } from '../../../src/workspace/workspace';
import { bytesOf, Fixture, listed, openDescriptors, publish, read } from './fixture';

const CANARY = 'outside the root';

function device(path: string): void {
  execFileSync('mknod', [path, 'c', '1', '3'], { stdio: 'ignore' });
}

/** Only root may, and not in every container. */
function canMakeDevices(): boolean {
  const probe = new Fixture();
  try {
    device(join(probe.dir, 'device'));
    return true;
  } catch {
    return false;
  } finally {
    probe.remove();
  }
}

describe.each<Lookup>(['descriptor', 'checked-path'])('with names resolved by %s', (lookup) => {
  let fixture: Fixture;
  let workspace: Workspace;
  let outside: string;
  let servers: Server[];

  beforeEach(async () => {
    servers = [];
    fixture = new Fixture();
    workspace = await fixture.workspace({ lookup, maxFileBytes: 1_000_000 });
    await publish(workspace, { 'good.txt': 'good', 'dir/good.txt': 'good' });
    outside = join(fixture.dir, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'secret.txt'), CANARY);
  });

  afterEach(async () => {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    fixture.remove();
  });

  function fifo(path: string): void {
    execFileSync('mkfifo', [path]);
  }

  async function socket(path: string): Promise<void> {
    const server = createServer();
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(path, resolve));
  }

  /** What may lie where a file is asked for, and the words for it. */
  const intruders: [string, string, (path: string) => void | Promise<void>][] = [
    ['a link to a file outside', 'symbolic link', (path) => symlinkSync(join(outside, 'secret.txt'), path)],
    ['a link to a file beside it', 'symbolic link', (path) => symlinkSync('good.txt', path)],
    ['a link to nothing', 'symbolic link', (path) => symlinkSync('/nowhere', path)],
    ['a link to itself', 'symbolic link', (path) => symlinkSync(path, path)],
    ['a named pipe', 'named pipe', fifo],
    ['a socket', 'socket', socket],
    ['a directory', 'directory', (path) => mkdirSync(path)],
    ...(canMakeDevices() ? [['a device', 'device', device] as [string, string, typeof device]] : []),
  ];

  test.each(intruders)('R25: %s is not read as a file, and its kind is named', async (_, kind, make) => {
    await make(fixture.path('x'));
    await expect(workspace.open('x')).rejects.toMatchObject({
      code: 'INPUT_FILE_ERROR',
      message: expect.stringMatching(new RegExp(`"x" is a ${kind}`)),
      details: { path: 'x' },
    });
    await expect(workspace.remove('x')).rejects.toMatchObject({ code: 'INPUT_FILE_ERROR' });
    expect(await listed(workspace)).toEqual(['dir/good.txt', 'good.txt']);
  });

  const blockers = intruders.filter(([name]) => name !== 'a directory');

  test.each(blockers)(
    'R25: %s is not passed on the way to a file, neither to read nor to write',
    async (_, kind, make) => {
      await make(fixture.path('way'));
      const below = new RegExp(`"way/in/secret.txt" lies below "way", which is a ${kind}`);
      await expect(workspace.open('way/in/secret.txt')).rejects.toThrow(below);
      const batch = await workspace.publish('batch-2');
      await expect(batch.add('way/in/secret.txt', bytesOf('x'))).rejects.toThrow(below);
      await batch.commit();
    },
  );

  test.each(['way/secret.txt', 'dir/way/secret.txt'])(
    'R25: a link to a folder outside is not passed: %s',
    async (path) => {
      symlinkSync(outside, fixture.path(path.replace('/secret.txt', '')));
      await expect(workspace.open(path)).rejects.toMatchObject({ code: 'INPUT_FILE_ERROR' });
      await expect(publish(workspace, { [path]: 'overwritten' })).rejects.toThrow(OutputRefused);
      await expect(workspace.remove(path)).rejects.toMatchObject({ code: 'INPUT_FILE_ERROR' });
      expect(await listed(workspace)).toEqual(['dir/good.txt', 'good.txt']);
      expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(CANARY);
    },
  );

  test.each(blockers)(
    'R26: %s in the place of an output file is replaced, and what it names stays',
    async (_, _kind, make) => {
      await make(fixture.path('out.txt'));
      await publish(workspace, { 'out.txt': 'result' });
      expect(lstatSync(join(fixture.files, 'out.txt')).isFile()).toBe(true);
      expect(await read(workspace, 'out.txt')).toBe('result');
      expect(await read(workspace, 'good.txt')).toBe('good');
      expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(CANARY);
    },
  );

  test("R25: the tenant's own folder is not reached through a link", async () => {
    const other = await fixture.store({ lookup }).open({ workspaceId: 'acme', userId: 'mallory' });
    symlinkSync(fixture.tenant, join(fixture.root, 'acme', 'mallory'));
    await expect(other.open('good.txt')).rejects.toMatchObject({ code: 'WORKSPACE_ERROR' });
    await expect(other.publish('batch-2')).rejects.toMatchObject({ code: 'WORKSPACE_ERROR' });
  });

  test('R26: a file with several hard links is read, and publishing does not write through them', async () => {
    linkSync(join(fixture.files, 'good.txt'), join(outside, 'other-name'));
    expect(await read(workspace, 'good.txt')).toBe('good');
    await publish(workspace, { 'good.txt': 'replaced' });
    expect(readFileSync(join(outside, 'other-name'), 'utf8')).toBe('good');
  });

  test('a destination that becomes a folder before the commit fails the whole batch, by name', async () => {
    const batch = await workspace.publish('batch-2');
    await batch.add('a.txt', bytesOf('a'));
    await batch.add('b.txt', bytesOf('b'));
    mkdirSync(fixture.path('b.txt'));
    await expect(batch.commit()).rejects.toThrow('output file "b.txt" is a directory in the workspace');
    expect(await listed(workspace)).toEqual(['dir/good.txt', 'good.txt']);
    expect(fixture.leftovers()).toEqual([]);
  });

  test('R27: a large sparse file is refused by its size, before it is read', async () => {
    writeFileSync(fixture.path('sparse.bin'), '');
    truncateSync(join(fixture.files, 'sparse.bin'), 1024 ** 3);
    await expect(workspace.open('sparse.bin')).rejects.toMatchObject({
      code: 'INPUT_FILE_ERROR',
      message: 'input file "sparse.bin" has 1073741824 bytes, at most 1000000 are allowed',
      details: { path: 'sparse.bin', asked: 1024 ** 3, max: 1_000_000 },
    });
  });

  const changes: [string, (path: string) => void][] = [
    ['grows', (path) => appendFileSync(path, 'more')],
    ['shrinks', (path) => truncateSync(path, 10)],
    ['is emptied', (path) => truncateSync(path, 0)],
    ['is rewritten with the same size', (path) => writeFileSync(path, 'y'.repeat(900_000))],
  ];

  test.each(changes)('R27: a file that %s while it is read fails before its last byte', async (_, change) => {
    const path = fixture.path('input.bin');
    writeFileSync(path, 'x'.repeat(900_000));
    const file = await workspace.open('input.bin');
    change(path);
    let seen = 0;
    const reading = (async () => {
      for await (const chunk of file.stream() as AsyncIterable<Buffer>) seen += chunk.length;
    })();
    await expect(reading).rejects.toMatchObject({
      code: 'INPUT_FILE_ERROR',
      message: 'input file "input.bin" changed while it was read',
    });
    expect(seen).toBeLessThan(file.size);
  });

  test('a file that is renamed or replaced while it is read is read as it was', async () => {
    const file = await workspace.open('good.txt');
    renameSync(join(fixture.files, 'good.txt'), join(fixture.files, 'elsewhere.txt'));
    writeFileSync(fixture.path('good.txt'), 'another');
    const chunks: Buffer[] = [];
    for await (const chunk of file.stream() as AsyncIterable<Buffer>) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('good');
  });

  test('R26: files are stored with mode 0644 in folders with mode 0755, whatever the umask', async () => {
    const before = process.umask(0o077);
    try {
      await publish(workspace, { 'new/folder/file.sh': '#!/bin/sh' });
    } finally {
      process.umask(before);
    }
    expect(statSync(join(fixture.files, 'new/folder/file.sh')).mode & 0o7777).toBe(0o644);
    expect(statSync(join(fixture.files, 'new/folder')).mode & 0o7777).toBe(0o755);
  });

  test('no descriptor stays open after refusals, unread files and aborted batches', async () => {
    symlinkSync(outside, fixture.path('way'));
    const round = async (): Promise<void> => {
      await workspace.open('way/secret.txt').catch(() => undefined);
      await workspace.open('missing/file').catch(() => undefined);
      await workspace.open('dir').catch(() => undefined);
      const unread = await workspace.open('good.txt');
      await unread.close();
      await unread.close();
      const destroyed = (await workspace.open('good.txt')).stream();
      await new Promise((resolve) => destroyed.once('close', resolve).destroy());
      const batch = await workspace.publish('batch-2');
      await batch.add('a/b/c', bytesOf('x'));
      await batch.add('way/x', bytesOf('x')).catch(() => undefined);
      await batch.abort();
      await publish(workspace, { 'a/b/c': 'x' });
      await listed(workspace);
      await workspace.remove('a/b/c');
    };
    await round();
    const before = openDescriptors();
    for (let count = 0; count < 5; count++) await round();
    expect(openDescriptors()).toBe(before);
  });
});
