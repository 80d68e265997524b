import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { withLock } from '../../../infra/setup/lock.js';

describe('a lock between set-ups', () => {
  let folder: string;
  const file = (): string => path.join(folder, 'locks/x.lock');
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hourglass-unit-'));
    process.env.HOURGLASS_CACHE_DIR = folder;
  });
  afterEach(() => {
    delete process.env.HOURGLASS_CACHE_DIR;
    fs.rmSync(folder, { recursive: true });
  });

  const leave = (owner: string): void => {
    fs.mkdirSync(path.dirname(file()), { recursive: true });
    fs.writeFileSync(file(), owner);
  };

  test('one works at a time, and the other says whom it waits for', async () => {
    const said: string[] = [];
    const events: string[] = [];
    let release = (): void => undefined;
    const first = withLock(
      'x',
      () => undefined,
      async () => {
        events.push('first begins');
        await new Promise<void>((resolve) => (release = resolve));
        events.push('first ends');
      },
    );
    const told = (reason: string): void => {
      said.push(reason);
      release();
    };
    await Promise.all([first, withLock('x', told, async () => void events.push('second begins'))]);
    expect(events).toEqual(['first begins', 'first ends', 'second begins']);
    expect(said).toEqual([`waits for another set-up (process ${process.pid})`]);
  });

  test('it is free again after an error', async () => {
    await expect(
      withLock(
        'x',
        () => undefined,
        async () => Promise.reject(new Error('no')),
      ),
    ).rejects.toThrow('no');
    await expect(
      withLock(
        'x',
        () => undefined,
        async () => 'again',
      ),
    ).resolves.toBe('again');
  });

  test('the lock of a process that is gone is taken over', async () => {
    leave(JSON.stringify({ pid: 2 ** 22 + 1, started: '1' }));
    await expect(
      withLock(
        'x',
        () => undefined,
        async () => 'mine',
      ),
    ).resolves.toBe('mine');
  });

  test('the lock of an earlier process with the number of a living one is taken over', async () => {
    leave(JSON.stringify({ pid: process.pid, started: 'long ago' }));
    await expect(
      withLock(
        'x',
        () => undefined,
        async () => 'mine',
      ),
    ).resolves.toBe('mine');
  });

  test('a lock that a crash left half written is taken over', async () => {
    leave('{');
    fs.utimesSync(file(), 0, 0);
    await expect(
      withLock(
        'x',
        () => undefined,
        async () => 'mine',
      ),
    ).resolves.toBe('mine');
  });
});
