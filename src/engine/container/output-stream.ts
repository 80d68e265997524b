import { Transform, type TransformCallback } from 'node:stream';
import { safeText } from '../../telemetry/safe-text';

/** type, three zero bytes, length of the payload (big-endian). */
const HEADER_BYTES = 8;
const STDOUT = 1;
const STDERR = 2;
const DIAGNOSTICS_BYTES = 4 * 1024;

/**
 * Takes Docker's multiplexed stream apart: stdout is what is read from it, the end of stderr is kept for the log.
 *
 * Payloads are handed on as they come, so memory is bounded by the stream's own buffers whatever length a header
 * claims, and a slow reader slows the container down. Fails when the stream is not what Docker sends.
 */
export class OutputStream extends Transform {
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  #type = 0;
  #remaining = 0;
  #diagnostics: Buffer = Buffer.alloc(0);

  /** The last 4 KiB of stderr as printable text: control characters are escaped, so that it can be logged. */
  diagnostics(): string {
    return safeText(this.#diagnostics.toString('utf8'), DIAGNOSTICS_BYTES);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    for (let rest = chunk; rest.length > 0;) {
      if (this.#remaining === 0 && this.#headerBytes < HEADER_BYTES) {
        rest = this.#takeHeader(rest);
        if (this.#headerBytes === HEADER_BYTES && !this.#readHeader()) {
          return done(new Error('the engine sent a stream that is not multiplexed'));
        }
      } else {
        rest = this.#takePayload(rest);
      }
    }
    done();
  }

  #takeHeader(chunk: Buffer): Buffer {
    const taken = chunk.copy(this.#header, this.#headerBytes, 0, HEADER_BYTES - this.#headerBytes);
    this.#headerBytes += taken;
    return chunk.subarray(taken);
  }

  #readHeader(): boolean {
    this.#type = this.#header.readUInt8(0);
    this.#remaining = this.#header.readUInt32BE(4);
    if (this.#remaining === 0) this.#headerBytes = 0;
    return (this.#type === STDOUT || this.#type === STDERR) && this.#header.readUIntBE(1, 3) === 0;
  }

  #takePayload(chunk: Buffer): Buffer {
    const part = chunk.subarray(0, this.#remaining);
    this.#remaining -= part.length;
    if (this.#remaining === 0) this.#headerBytes = 0;
    if (this.#type === STDOUT) this.push(part);
    else this.#keep(part);
    return chunk.subarray(part.length);
  }

  #keep(part: Buffer): void {
    const both = Buffer.concat([this.#diagnostics, part.subarray(-DIAGNOSTICS_BYTES)]);
    this.#diagnostics = both.subarray(-DIAGNOSTICS_BYTES);
  }
}
