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

/** What the guest did that the protocol does not allow, as an error. `what` completes the sentence. */
export function violation(what: string, options?: ErrorOptions): HourglassError {
  return new HourglassError('PROTOCOL_ERROR', `the sandbox broke the protocol: ${what}`, {}, options);
}

/** Header of one frame to the guest; the payload follows it unchanged. Throws RangeError beyond MAX_PAYLOAD_BYTES. */
export function encodeHeader(type: ToGuest, id: number, payloadBytes: number): Buffer {
  if (payloadBytes > MAX_PAYLOAD_BYTES) throw new RangeError(`a frame holds at most ${MAX_PAYLOAD_BYTES} bytes`);
  return header(TO_GUEST[type], id, payloadBytes);
}

/** The ATTACHED frame that answers an ATTACH with this nonce, byte for byte. */
export function attachedFrame(nonce: Buffer): Buffer {
  return Buffer.concat([header(TO_HOST.ATTACHED, 0, nonce.length), nonce]);
}

function header(code: number, id: number, payloadBytes: number): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt16BE(MAGIC, 0);
  header.writeUInt8(PROTOCOL_VERSION, 2);
  header.writeUInt8(code, 3);
  header.writeUInt32BE(id, 4);
  header.writeUInt32BE(payloadBytes, 8);
  return header;
}

interface Header {
  readonly type: ToHost;
  readonly id: number;
  readonly length: number;
}

function decodeHeader(bytes: Buffer): Header {
  if (bytes.readUInt16BE(0) !== MAGIC) throw violation('a frame does not begin with its magic');
  const version = bytes.readUInt8(2);
  if (version !== PROTOCOL_VERSION) throw violation(`a frame of version ${version}, expected ${PROTOCOL_VERSION}`);
  const type = NAME_OF_CODE.get(bytes.readUInt8(3));
  if (type === undefined) throw violation(`a frame of the unknown type ${bytes.readUInt8(3)}`);
  const length = bytes.readUInt32BE(8);
  if (length > MAX_PAYLOAD_BYTES)
    throw violation(`a frame of ${length} bytes, at most ${MAX_PAYLOAD_BYTES} are allowed`);
  return { type, id: bytes.readUInt32BE(4), length };
}

/** Bytes that arrive in parts; what is there in one piece is not copied. */
class Piece {
  #parts: Buffer | undefined;
  #filled = 0;

  /** Bytes held back because the rest is missing. */
  get held(): number {
    return this.#filled;
  }

  /** `length` bytes from what is held and `chunk` after `offset`; undefined, and all of it held, where they are not there yet. */
  take(chunk: Buffer, offset: number, length: number): { bytes: Buffer | undefined; offset: number } {
    if (this.#parts === undefined && chunk.length - offset >= length) {
      return { bytes: chunk.subarray(offset, offset + length), offset: offset + length };
    }
    this.#parts ??= Buffer.allocUnsafe(length);
    const copied = chunk.copy(this.#parts, this.#filled, offset);
    this.#filled += copied;
    const bytes = this.#filled === length ? this.#parts : undefined;
    if (bytes !== undefined) {
      this.#parts = undefined;
      this.#filled = 0;
    }
    return { bytes, offset: offset + copied };
  }
}

/** Looks for a mark in a stream, whatever its chunks. */
class Seek {
  #end: Buffer = NO_BYTES;
  #dropped = 0;

  constructor(
    private readonly mark: Buffer,
    private readonly maxBytes: number,
  ) {}

  /** What follows the mark; undefined where it is not there yet. */
  pass(chunk: Buffer): Buffer | undefined {
    const bytes = Buffer.concat([this.#end, chunk]);
    const at = bytes.indexOf(this.mark);
    if (at >= 0) return bytes.subarray(at + this.mark.length);
    this.#dropped += chunk.length;
    if (this.#dropped > this.maxBytes) throw violation(`no answer to ATTACH within ${this.maxBytes} bytes`);
    this.#end = bytes.subarray(Math.max(0, bytes.length - this.mark.length + 1));
    return undefined;
  }
}

/**
 * Turns the guest's bytes into frames, whatever their chunks.
 *
 * Holds at most one frame: a header is checked before anything is allocated for its payload. Throws HourglassError
 * PROTOCOL_ERROR for what is no frame; the decoder is of no use then.
 */
export class FrameDecoder {
  readonly #piece = new Piece();
  #header: Header | undefined;
  #seek: Seek | undefined;

  /** Drops all that comes until `mark` was there; throws where more than `maxBytes` come before it. */
  seek(mark: Buffer, maxBytes: number): void {
    this.#seek = new Seek(mark, maxBytes);
  }

  /** Whether a frame has begun and is not complete. */
  get isInsideFrame(): boolean {
    return this.#header !== undefined || this.#piece.held > 0;
  }

  /** Takes a chunk; yields every frame that it completes. Payloads may share memory with the chunk. */
  *push(arrived: Buffer): Generator<GuestFrame> {
    let chunk = arrived;
    if (this.#seek !== undefined) {
      const rest = this.#seek.pass(chunk);
      if (rest === undefined) return;
      this.#seek = undefined;
      chunk = rest;
    }
    for (let at = 0; ;) {
      if (at === chunk.length && this.#header?.length !== 0) return;
      const wanted = this.#header?.length ?? HEADER_BYTES;
      const { bytes, offset } = wanted === 0 ? { bytes: NO_BYTES, offset: at } : this.#piece.take(chunk, at, wanted);
      at = offset;
      if (bytes === undefined) return;
      if (this.#header === undefined) {
        this.#header = decodeHeader(bytes);
        continue;
      }
      const { type, id } = this.#header;
      this.#header = undefined;
      yield { type, id, payload: bytes };
    }
  }
}
