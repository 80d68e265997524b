import { PassThrough } from 'node:stream';
import { bye, GuestChannel, renew } from '../../../src/runner';
import { MAX_PAYLOAD_BYTES } from '../../../src/runner/protocol';
import { guestFrame, ScriptedGuest } from './scripted-guest';

const READY = { protocol: 1, language: 'python', preload: ['numpy'], pid: 1 };
const never = new AbortController().signal;

test('frames go out with type, id and payload, JSON or bytes', async () => {
  const guest = new ScriptedGuest();
  await guest.channel.send('FILE', 3, { path: 'a', size: 0 });
  await guest.channel.send('FILE_DATA', 3, Buffer.from([0, 255]));
  await guest.channel.send('STDIN', 0, Buffer.alloc(0));
  await guest.received('STDIN');
  expect(guest.frames.map(({ type, id, payload }) => [type, id, payload.toString('latin1')])).toEqual([
    ['FILE', 3, '{"path":"a","size":0}'],
    ['FILE_DATA', 3, '\u0000\u00ff'],
    ['STDIN', 0, ''],
  ]);
});

test('sending waits while the guest takes nothing and goes on when it does', async () => {
  const input = new PassThrough({ highWaterMark: 1_024 });
  const channel = GuestChannel.open({ input, output: new PassThrough() });
  const order: string[] = [];
  const sent = channel.send('CODE', 0, Buffer.alloc(4_096)).then(() => order.push('sent'));
  await new Promise(setImmediate);
  order.push('reading');
  input.resume();
  await sent;
  expect(order).toEqual(['reading', 'sent']);
});

test('many senders that wait leave no listener behind', async () => {
  const input = new PassThrough({ highWaterMark: 16 });
  const channel = GuestChannel.open({ input, output: new PassThrough() });
  const idle = { drain: input.listenerCount('drain'), close: input.listenerCount('close') };
  const sends = Array.from({ length: 50 }, () => channel.send('CODE', 0, Buffer.alloc(64)));
  expect(input.listenerCount('drain')).toBeLessThan(5);
  input.resume();
  await Promise.all(sends);
  expect({ drain: input.listenerCount('drain'), close: input.listenerCount('close') }).toEqual(idle);
});

test('a sender that waits is told when the stream breaks, with the cause', async () => {
  const input = new PassThrough({ highWaterMark: 16 });
  const channel = GuestChannel.open({ input, output: new PassThrough() });
  const sent = channel.send('CODE', 0, Buffer.alloc(64));
  const cause = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  input.destroy(cause);
  await expect(sent).rejects.toMatchObject({ code: 'SANDBOX_LOST', cause });
  await expect(channel.send('CODE', 0, Buffer.alloc(1))).rejects.toMatchObject({ code: 'SANDBOX_LOST', cause });
});

test('a payload that no frame holds is refused and nothing of it is sent', async () => {
  const guest = new ScriptedGuest();
  await expect(guest.channel.send('CODE', 0, Buffer.alloc(MAX_PAYLOAD_BYTES + 1))).rejects.toThrow(RangeError);
  await guest.channel.send('BYE', 0, {});
  await guest.received('BYE');
  expect(guest.frames).toHaveLength(1);
});

test('frames are read in order, then the end of the stream, for ever', async () => {
  const guest = new ScriptedGuest();
  guest.send('STARTED', {});
  guest.send('OUTPUT', 'a', 1);
  guest.output.end();
  const types = [];
  for (let frame = await guest.channel.next(); frame !== undefined; frame = await guest.channel.next()) {
    types.push(frame.type);
  }
  expect(types).toEqual(['STARTED', 'OUTPUT']);
  await expect(guest.channel.next()).resolves.toBeUndefined();
  expect(guest.channel.cause).toBeUndefined();
});

test('a stream that breaks or stops inside a frame has ended, and the cause is kept', async () => {
  const broken = new ScriptedGuest();
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  broken.output.destroy(reset);
  await expect(broken.channel.next()).resolves.toBeUndefined();
  expect(broken.channel.cause).toBe(reset);
  const half = new ScriptedGuest();
  half.output.end(guestFrame('OUTPUT', 'hello', 1).subarray(0, 14));
  await expect(half.channel.next()).resolves.toBeUndefined();
  expect(half.channel.cause).toMatchObject({ message: 'the stream ended inside a frame' });
});

test('what is no frame fails every read after the frames before it', async () => {
  const guest = new ScriptedGuest();
  guest.output.write(Buffer.concat([guestFrame('STARTED', {}), Buffer.from('print output!')]));
  await expect(guest.channel.next()).resolves.toMatchObject({ type: 'STARTED' });
  await expect(guest.channel.next()).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
  await expect(guest.channel.next()).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
});

test('a guest that nobody listens to is slowed down', async () => {
  const output = new PassThrough({ highWaterMark: 1_024 });
  const channel = GuestChannel.open({ input: new PassThrough(), output });
  const frame = guestFrame('OUTPUT', Buffer.alloc(512, 'x'), 1);
  let written = 0;
  while (output.write(frame) && written < 1_000) {
    written += 1;
    await new Promise(setImmediate);
  }
  expect(written).toBeLessThan(10);
  await expect(channel.next()).resolves.toMatchObject({ type: 'OUTPUT' });
});

test('the end of an idle guest closes its stream although nobody reads', async () => {
  const guest = new ScriptedGuest();
  guest.send('READY', READY);
  await guest.channel.waitReady(1_000, never);
  const closed = new Promise((resolve) => guest.output.once('close', resolve));
  guest.output.end();
  await closed;
});

test('a ready guest says what it has preloaded', async () => {
  const guest = new ScriptedGuest();
  guest.send('READY', READY);
  await expect(guest.channel.waitReady(1_000, never)).resolves.toEqual(READY);
});

test.each([
  ['another protocol', 'READY' as const, { ...READY, protocol: 2 }, 'ENGINE_UNAVAILABLE', 'hourglass setup'],
  ['no protocol', 'READY' as const, {}, 'PROTOCOL_ERROR', 'READY'],
  ['its failure', 'FATAL' as const, { message: 'no\u001b[31m numpy' }, 'ENGINE_UNAVAILABLE', 'no\\u001b[31m numpy'],
  ['something else', 'STARTED' as const, {}, 'ENGINE_UNAVAILABLE', 'STARTED'],
])('a guest that says %s is not ready', async (_, type, payload, code, reason) => {
  const guest = new ScriptedGuest();
  guest.send(type, payload);
  const ready = guest.channel.waitReady(1_000, never);
  await expect(ready).rejects.toMatchObject({ code, message: expect.stringContaining(reason) });
});

test('a guest that ends, is late or is not wanted any more is not ready', async () => {
  const ended = new ScriptedGuest();
  ended.die();
  await expect(ended.channel.waitReady(1_000, never)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
  const late = new ScriptedGuest();
  await expect(late.channel.waitReady(1, never)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
  const unwanted = new ScriptedGuest();
  const abort = new AbortController();
  const ready = unwanted.channel.waitReady(60_000, abort.signal);
  const reason = new Error('cancelled');
  abort.abort(reason);
  await expect(ready).rejects.toBe(reason);
});

test('a guest that is told to reset and says READY is as it was born', async () => {
  const guest = new ScriptedGuest();
  const reset = guest.channel.reset(60_000, never);
  await guest.received('RESET');
  guest.send('READY', READY);
  await expect(reset).resolves.toBeUndefined();
});

test.each<[string, Buffer[]]>([
  ['a READY beside what was read', [Buffer.concat([guestFrame('STARTED'), guestFrame('READY', READY)])]],
  ['a READY after what was read', [guestFrame('STARTED'), guestFrame('READY', READY)]],
  ['half of a READY', [Buffer.concat([guestFrame('STARTED'), guestFrame('READY', READY).subarray(0, 14)])]],
  ['no frame', [Buffer.concat([guestFrame('STARTED'), Buffer.from('print output!')])]],
])('R18: %s is no answer to a reset that was not sent yet', async (_, chunks) => {
  const guest = new ScriptedGuest();
  for (const chunk of chunks) guest.output.write(chunk);
  await guest.channel.next();
  await expect(guest.channel.reset(60_000, never)).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
  await bye(guest.channel);
  await guest.received('BYE');
  expect(guest.frames.map(({ type }) => type)).toEqual(['BYE']);
});

test.each([
  [undefined, READY, { background: 0 }],
  [3, { ...READY, rolledBack: true }, { rolledBack: true, background: 0 }],
  [3, { ...READY, rolledBack: false }, { rolledBack: false, background: 0 }],
])('a guest is made ready for the next call, after that of call %s', async (rollback, ready, expected) => {
  const guest = new ScriptedGuest();
  const next = guest.channel.nextCall(rollback, 60_000, never);
  const { payload } = await guest.received('NEXT');
  expect(JSON.parse(payload.toString())).toEqual({ rollback: rollback ?? null });
  guest.send('READY', ready);
  await expect(next).resolves.toEqual(expected);
});

test('R18: an answer to another question than that for the next call is refused', async () => {
  const guest = new ScriptedGuest();
  const next = guest.channel.nextCall(3, 60_000, never);
  await guest.received('NEXT');
  guest.send('READY', READY);
  await expect(next).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
  const early = new ScriptedGuest();
  early.output.write(Buffer.concat([guestFrame('STARTED'), guestFrame('READY', READY)]));
  await early.channel.next();
  await expect(early.channel.nextCall(undefined, 60_000, never)).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
});

test('closing ends a reader that waits', async () => {
  const guest = new ScriptedGuest();
  const next = guest.channel.next();
  guest.channel.close();
  guest.channel.close();
  await expect(next).resolves.toBeUndefined();
});

test('lease and farewell are sent, and a dead guest is no failure', async () => {
  const guest = new ScriptedGuest();
  await renew(guest.channel, 5_000);
  await bye(guest.channel);
  await guest.received('BYE');
  expect(guest.frames.map(({ type, payload }) => [type, payload.toString()])).toEqual([
    ['RENEW', '{"leaseMs":5000}'],
    ['BYE', '{}'],
  ]);
  guest.die();
  await renew(guest.channel, 5_000);
  await bye(guest.channel);
});
