import { HourglassError } from '../../../src/contract';
import { encodeHeader, FrameDecoder } from '../../../src/runner/frames';
import { MAX_PAYLOAD_BYTES, TO_HOST, type GuestFrame, type ToHost } from '../../../src/runner/protocol';
import { startFuzz } from '../../support/random';
import { guestFrame } from './scripted-guest';

const TYPES = Object.keys(TO_HOST) as ToHost[];

function decodeAll(decoder: FrameDecoder, ...chunks: Buffer[]): GuestFrame[] {
  return chunks.flatMap((chunk) => [...decoder.push(chunk)]);
}

function plain(frames: readonly GuestFrame[]): [string, number, string][] {
  return frames.map(({ type, id, payload }) => [type, id, payload.toString('latin1')]);
}

test('a header to the guest is that of the protocol', () => {
  expect(encodeHeader('FILE_DATA', 7, 258).toString('hex')).toBe('484701060000000700000102');
});

test('a payload that no frame holds is refused before it is sent', () => {
  expect(() => encodeHeader('CODE', 0, MAX_PAYLOAD_BYTES + 1)).toThrow(RangeError);
});

test('frames of every type are read with id and payload', () => {
  const frames = TYPES.map((type, index) => guestFrame(type, Buffer.alloc(index, 'x'), index));
  const decoded = decodeAll(new FrameDecoder(), Buffer.concat(frames));
  expect(plain(decoded)).toEqual(TYPES.map((type, index) => [type, index, 'x'.repeat(index)]));
});

test('R18: frames are the same however the stream is cut', () => {
  const stream = Buffer.concat([
    guestFrame('OUTPUT', 'hello', 1),
    guestFrame('STARTED'),
    guestFrame('REPORT', 'r'.repeat(40)),
  ]);
  const whole = plain(decodeAll(new FrameDecoder(), stream));
  for (let size = 1; size < stream.length; size += 1) {
    const chunks = [];
    for (let at = 0; at < stream.length; at += size) chunks.push(stream.subarray(at, at + size));
    expect(plain(decodeAll(new FrameDecoder(), ...chunks))).toEqual(whole);
  }
});

test('a payload that lies in one chunk is not copied', () => {
  const chunk = guestFrame('OUTPUT', 'hello', 1);
  const [frame] = decodeAll(new FrameDecoder(), chunk);
  expect(frame?.payload.buffer).toBe(chunk.buffer);
});

test('a frame of the largest payload arrives in small pieces', () => {
  const stream = guestFrame('FILE_DATA', Buffer.alloc(MAX_PAYLOAD_BYTES, 'y'), 3);
  const decoder = new FrameDecoder();
  const frames = [];
  for (let at = 0; at < stream.length; at += 4_099) frames.push(...decoder.push(stream.subarray(at, at + 4_099)));
  expect(frames.map((frame) => frame.payload.length)).toEqual([MAX_PAYLOAD_BYTES]);
});

test.each([
  ['another magic', guestFrame('OUTPUT', 'x', 1, { magic: 0x4848 }), 'magic'],
  ['another version', guestFrame('OUTPUT', 'x', 1, { version: 2 }), 'version 2'],
  ['an unknown type', guestFrame(0x99, 'x', 1), 'unknown type 153'],
  ['a type of the other direction', guestFrame(0x01, 'x', 1), 'unknown type 1'],
  ['a length beyond the largest', guestFrame('OUTPUT', '', 1, { length: MAX_PAYLOAD_BYTES + 1 }), '1048577 bytes'],
  ['a length of 4 GiB', guestFrame('OUTPUT', '', 1, { length: 0xffffffff }), '4294967295 bytes'],
])('%s is a protocol error as soon as the header is there', (_, bytes, reason) => {
  const decoder = new FrameDecoder();
  expect(() => decodeAll(decoder, bytes.subarray(0, 12))).toThrow(HourglassError);
  const again = new FrameDecoder();
  expect(() => decodeAll(again, bytes.subarray(0, 12))).toThrow(reason);
});

test('frames before the violation are delivered', () => {
  const seen: string[] = [];
  const stream = Buffer.concat([guestFrame('STARTED'), guestFrame(0x99)]);
  expect(() => {
    for (const frame of new FrameDecoder().push(stream)) seen.push(frame.type);
  }).toThrow('unknown type');
  expect(seen).toEqual(['STARTED']);
});

test('it is known whether the stream stops inside a frame', () => {
  const decoder = new FrameDecoder();
  const frame = guestFrame('OUTPUT', 'hello', 1);
  expect(decoder.isInsideFrame).toBe(false);
  decodeAll(decoder, frame.subarray(0, 5));
  expect(decoder.isInsideFrame).toBe(true);
  decodeAll(decoder, frame.subarray(5, 12));
  expect(decoder.isInsideFrame).toBe(true);
  decodeAll(decoder, frame.subarray(12));
  expect(decoder.isInsideFrame).toBe(false);
});

test('R18: any bytes give frames or a protocol error, the same for every cut of the stream', () => {
  const { seed, random } = startFuzz('frame');
  for (let round = 0; round < 1_500; round += 1) {
    const stream = randomStream(random);
    expect({ seed, round, ...readCut(stream, () => 1 + random(90)) }).toEqual({
      seed,
      round,
      ...readCut(stream, () => stream.length),
    });
  }
});

function randomStream(random: (below: number) => number): Buffer {
  const frames = Array.from({ length: 1 + random(6) }, () => {
    const payload = Buffer.from(Array.from({ length: random(60) }, () => random(256)));
    return guestFrame(TYPES[random(TYPES.length)] ?? 'END', payload, random(0xffffffff));
  });
  const stream = Buffer.concat(frames);
  for (let flips = random(4); flips > 0; flips -= 1) stream.writeUInt8(random(256), random(stream.length));
  return stream.subarray(0, random(3) === 0 ? random(stream.length) : stream.length);
}

function readCut(stream: Buffer, cut: () => number): { frames: unknown; error: string | undefined } {
  const decoder = new FrameDecoder();
  const frames: GuestFrame[] = [];
  try {
    for (let at = 0; at < stream.length;) {
      const size = cut();
      for (const frame of decoder.push(stream.subarray(at, at + size))) frames.push(frame);
      at += size;
    }
    return { frames: plain(frames), error: undefined };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'HourglassError') throw error;
    return { frames: plain(frames), error: error.message };
  }
}
