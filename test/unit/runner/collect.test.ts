import { buffer } from 'node:stream/consumers';
import { FileFetcher, FileRefused, listFiles } from '../../../src/runner';
import { guestFrame, ScriptedGuest } from './scripted-guest';

const MAX = 1_000;

test('a listing arrives in parts', async () => {
  const guest = new ScriptedGuest();
  guest.send('LISTING', { entries: [['a', 1], ['l', 'link']], more: true, truncated: false }); // prettier-ignore
  guest.send('LISTING', { entries: [['b/ü', 2]], more: false, truncated: true });
  await expect(listFiles(guest.channel, 'tmp', 10)).resolves.toEqual({
    files: [
      { path: 'a', size: 1 },
      { path: 'b/ü', size: 2 },
    ],
    others: [{ path: 'l', kind: 'link' }],
    truncated: true,
  });
  expect(JSON.parse(guest.sentAs('LIST').toString())).toEqual({ root: 'tmp', max: 10 });
});

test.each<[string, Buffer[]]>([
  ['more files than were asked for', [listing([['a', 1], ['b', 1]])]], // prettier-ignore
  ['more entries than were asked for', [listing([['a', 1], ['b', 'fifo']])]], // prettier-ignore
  ['a kind that nobody knows', [listing([['a', 'ghost']])]],
  ['parts without end', Array.from({ length: 10 }, () => listing([], true))],
  ['a size below zero', [listing([['a', -1]])]],
  ['something else', [guestFrame('OUTPUT', 'x', 1)]],
])('a listing with %s is a protocol error', async (_, frames) => {
  const guest = new ScriptedGuest();
  for (const frame of frames) guest.output.write(frame);
  await expect(listFiles(guest.channel, 'sandbox', 1)).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
});

test('a listing full of wrong entries is refused at the first one: it costs less than one of right entries', async () => {
  const msFor = async (entry: unknown): Promise<number> => {
    const guest = new ScriptedGuest();
    guest.output.write(listing(Array.from({ length: 90_000 }, () => entry)));
    const started = performance.now();
    await listFiles(guest.channel, 'sandbox', 100_000).catch(() => undefined);
    return performance.now() - started;
  };
  const right = await msFor(['a', 1]);
  expect(await msFor([1, ''])).toBeLessThan(right);
});

test('R27: a listing whose paths are longer together than the worker holds is a protocol error', async () => {
  const list = (parts: number): Promise<unknown> => {
    const guest = new ScriptedGuest();
    for (let part = 1; part <= parts; part += 1)
      guest.output.write(listing([[`${part}${'x'.repeat(1_000_000)}`, 1]], part < parts));
    return listFiles(guest.channel, 'sandbox', 100);
  };
  await expect(list(8)).resolves.toMatchObject({ truncated: false });
  await expect(list(9)).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
});

function listing(entries: unknown[], more = false): Buffer {
  return guestFrame('LISTING', { entries, more, truncated: false });
}

test('a file is asked for by root and path and arrives as it is', async () => {
  const guest = new ScriptedGuest();
  const content = buffer(new FileFetcher(guest.channel).fetch('figures', 'figure-1.png', MAX));
  const get = await guest.received('GET');
  expect([get.id, JSON.parse(get.payload.toString())]).toEqual([
    1,
    { root: 'figures', path: 'figure-1.png', maxBytes: MAX },
  ]);
  guest.send('FILE_DATA', Buffer.from([0, 255]), 1);
  guest.send('FILE_DATA', Buffer.from([7]), 1);
  guest.send('FILE_END', { size: 3 }, 1);
  await expect(content).resolves.toEqual(Buffer.from([0, 255, 7]));
});

test('an empty file is a file', async () => {
  const guest = new ScriptedGuest();
  guest.send('FILE_END', { size: 0 }, 1);
  await expect(buffer(new FileFetcher(guest.channel).fetch('sandbox', 'a', MAX))).resolves.toHaveLength(0);
});

test('a file the guest cannot send is refused with its code, also in its middle', async () => {
  const guest = new ScriptedGuest();
  const fetcher = new FileFetcher(guest.channel);
  guest.send('FILE_END', { error: { code: 'ENOENT', message: 'No such file' } }, 1);
  const missing = buffer(fetcher.fetch('sandbox', 'a', MAX));
  await expect(missing).rejects.toBeInstanceOf(FileRefused);
  await expect(missing).rejects.toMatchObject({ code: 'ENOENT', path: 'a', message: 'a: No such file' });
  guest.send('FILE_DATA', 'half', 2);
  guest.send('FILE_END', { error: { code: 'CHANGED', message: 'the file changed' } }, 2);
  await expect(buffer(fetcher.fetch('sandbox', 'b', MAX))).rejects.toMatchObject({ code: 'CHANGED' });
  guest.send('FILE_END', { size: 0 }, 3);
  await expect(buffer(fetcher.fetch('sandbox', 'c', MAX))).resolves.toHaveLength(0);
});

test.each<[string, Buffer[]]>([
  ['another file', [guestFrame('FILE_DATA', 'x', 2)]],
  ['the end of another file', [guestFrame('FILE_END', { size: 0 }, 0)]],
  ['fewer bytes than it says', [guestFrame('FILE_DATA', 'x', 1), guestFrame('FILE_END', { size: 2 }, 1)]],
  ['more bytes than were asked for', [guestFrame('FILE_DATA', Buffer.alloc(MAX + 1), 1)]],
  ['parts without bytes', [guestFrame('FILE_DATA', '', 1)]],
  ['output', [guestFrame('OUTPUT', 'x', 1)]],
  ['no frame', [Buffer.from('x'.repeat(20))]],
])('a guest that sends %s breaks the protocol', async (_, frames) => {
  const guest = new ScriptedGuest();
  const content = buffer(new FileFetcher(guest.channel).fetch('sandbox', 'a', MAX));
  await guest.received('GET');
  for (const frame of frames) guest.output.write(frame);
  await expect(content).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
});

test('a sandbox that ends in the middle of a file is lost', async () => {
  const guest = new ScriptedGuest();
  const content = buffer(new FileFetcher(guest.channel).fetch('sandbox', 'a', MAX));
  await guest.received('GET');
  guest.send('FILE_DATA', 'x', 1);
  guest.die();
  await expect(content).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
});

test('a reader that takes nothing slows the guest down', async () => {
  const guest = new ScriptedGuest();
  const content = new FileFetcher(guest.channel).fetch('sandbox', 'a', 1 << 30);
  content.read();
  await guest.received('GET');
  const part = guestFrame('FILE_DATA', Buffer.alloc(64 * 1_024), 1);
  let written = 0;
  while (guest.output.write(part) && written < 1_000) {
    written += 1;
    await new Promise(setImmediate);
  }
  expect(written).toBeLessThan(20);
  content.destroy();
});

test('a file that is given up is read to its end before the next one is asked for', async () => {
  const guest = new ScriptedGuest();
  const fetcher = new FileFetcher(guest.channel);
  const first = fetcher.fetch('sandbox', 'a', MAX);
  first.read();
  await guest.received('GET');
  guest.send('FILE_DATA', 'beginning', 1);
  await new Promise((resolve) => first.once('readable', resolve));
  first.destroy();
  const second = buffer(fetcher.fetch('sandbox', 'b', MAX));
  guest.send('FILE_DATA', 'rest', 1);
  await new Promise(setImmediate);
  expect(guest.frames.filter(({ type }) => type === 'GET')).toHaveLength(1);
  guest.send('FILE_END', { size: 13 }, 1);
  guest.send('FILE_DATA', 'next', 2);
  guest.send('FILE_END', { size: 4 }, 2);
  await expect(second).resolves.toEqual(Buffer.from('next'));
});
