import { PassThrough, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OutputStream } from '../../../../src/engine/container/output-stream';

function frame(type: number, payload: Buffer | string): Buffer {
  const body = Buffer.from(payload);
  const header = Buffer.alloc(8);
  header.writeUInt8(type, 0);
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

async function readAll(stream: OutputStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('latin1');
}

async function demultiplex(bytes: Buffer, chunkSize: number): Promise<{ stdout: string; stderr: string }> {
  const stream = new OutputStream();
  const stdout = readAll(stream);
  for (let at = 0; at < bytes.length; at += chunkSize) stream.write(bytes.subarray(at, at + chunkSize));
  stream.end();
  return { stdout: await stdout, stderr: stream.diagnostics() };
}

test.each([1, 2, 3, 7, 8, 9, 100, 10_000])('chunks of %i bytes give the same streams', async (chunkSize) => {
  const bytes = Buffer.concat([frame(1, 'one '), frame(2, 'note'), frame(1, ''), frame(1, 'two'), frame(2, ' two')]);
  expect(await demultiplex(bytes, chunkSize)).toEqual({ stdout: 'one two', stderr: 'note two' });
});

test('only the last 4 KiB of stderr are kept', async () => {
  const bytes = Buffer.concat([frame(2, 'a'.repeat(10_000)), frame(2, 'b'.repeat(4_000)), frame(2, 'c')]);
  const { stderr } = await demultiplex(bytes, 64);
  expect(stderr).toBe('a'.repeat(95) + 'b'.repeat(4_000) + 'c');
});

test('control characters in stderr are escaped', async () => {
  const { stderr } = await demultiplex(frame(2, '\u001b[31mred\u0007'), 64);
  expect(stderr).toBe('\\u001b[31mred\\u0007');
});

test.each([
  ['an unknown stream', frame(3, 'x')],
  ['stdin', frame(0, 'x')],
  ['bytes that are no header', Buffer.from('HTTP/1.1 200 OK')],
])('%s in the multiplexed stream is an error', async (_, bytes) => {
  await expect(demultiplex(bytes, 100)).rejects.toThrow('not multiplexed');
});

test('a header that claims 4 GiB allocates nothing', async () => {
  const header = Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
  expect(await demultiplex(Buffer.concat([header, Buffer.from('all there is')]), 5)).toMatchObject({
    stdout: 'all there is',
  });
});

test('a reader that does not read stops the writer', async () => {
  const stream = new OutputStream();
  const source = new PassThrough();
  source.pipe(stream);
  let written = 0;
  while (written < 64 * 1024 * 1024) {
    const more = source.write(frame(1, Buffer.alloc(32 * 1024)));
    written += 32 * 1024;
    if (!more) await new Promise((resolve) => setImmediate(resolve));
    if (!more && source.writableNeedDrain) break;
  }
  expect(written).toBeLessThan(1024 * 1024);
  let read = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      read += chunk.length;
      done();
    },
  });
  source.end();
  await pipeline(stream, sink);
  expect(read).toBe(written);
});
