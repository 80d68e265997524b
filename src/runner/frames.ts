import { HourglassError } from '../contract';
import {
  HEADER_BYTES,
  MAGIC,
  MAX_PAYLOAD_BYTES,
  PROTOCOL_VERSION,
  TO_GUEST,
  TO_HOST,
  type GuestFrame,
  type ToGuest,
  type ToHost,
} from './protocol';

const NAME_OF_CODE = new Map<number, ToHost>(Object.entries(TO_HOST).map(([name, code]) => [code, name as ToHost]));
const NO_BYTES = Buffer.alloc(0);

/** Header of one frame to the guest; the payload follows it unchanged. */
export function encodeHeader(type: ToGuest, id: number, payloadBytes: number): Buffer {
  if (payloadBytes > MAX_PAYLOAD_BYTES) throw new RangeError(`a frame holds at most ${MAX_PAYLOAD_BYTES} bytes`);
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt16BE(MAGIC, 0);
  header.writeUInt8(PROTOCOL_VERSION, 2);
  header.writeUInt8(TO_GUEST[type], 3);
  header.writeUInt32BE(id, 4);
  header.writeUInt32BE(payloadBytes, 8);
  return header;
}

interface Header {
  readonly type: ToHost;
  readonly id: number;
  readonly length: number;
}

function violation(what: string): HourglassError {
  return new HourglassError('PROTOCOL_ERROR', `the sandbox broke the protocol: ${what}`);
}

function decodeHeader(bytes: Buffer): Header {
  if (bytes.readUInt16BE(0) !== MAGIC) throw violation('a frame does not begin with its magic');
  const version = bytes.readUInt8(2);
  if (version !== PROTOCOL_VERSION) throw violation(`version ${version}, expected ${PROTOCOL_VERSION}`);
  const type = NAME_OF_CODE.get(bytes.readUInt8(3));
  if (type === undefined) throw violation(`unknown frame type ${bytes.readUInt8(3)}`);
  const length = bytes.readUInt32BE(8);
  if (length > MAX_PAYLOAD_BYTES) throw violation(`a frame of ${length} bytes`);
  return { type, id: bytes.readUInt32BE(4), length };
}

/**
 * Turns the guest's bytes into frames, whatever their chunks.
 *
 * Holds at most one frame: a header is checked before anything is kept for its payload. Throws HourglassError
 * PROTOCOL_ERROR for what is no frame; the decoder is of no use then.
 */
export class FrameDecoder {
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #header: Header | undefined;

  /** Bytes of a frame that is not complete yet. */
  get incompleteBytes(): number {
    return this.#pendingBytes + (this.#header === undefined ? 0 : HEADER_BYTES);
  }

  /** Takes a chunk; yields every frame that it completes. */
  *push(chunk: Buffer): Generator<GuestFrame> {
    if (chunk.length > 0) this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    for (;;) {
      this.#header ??= this.#readHeader();
      if (this.#header === undefined || this.#pendingBytes < this.#header.length) return;
      const { type, id, length } = this.#header;
      this.#header = undefined;
      yield { type, id, payload: this.#take(length) };
    }
  }

  #readHeader(): Header | undefined {
    return this.#pendingBytes < HEADER_BYTES ? undefined : decodeHeader(this.#take(HEADER_BYTES));
  }

  #take(length: number): Buffer {
    if (length === 0) return NO_BYTES;
    const first = this.#pending[0] ?? NO_BYTES;
    const joined = first.length >= length ? first : Buffer.concat(this.#pending);
    const rest = joined.subarray(length);
    if (first.length >= length) this.#pending.shift();
    else this.#pending = [];
    if (rest.length > 0) this.#pending.unshift(rest);
    this.#pendingBytes -= length;
    return joined.subarray(0, length);
  }
}
