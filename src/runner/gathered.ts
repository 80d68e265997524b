import { violation } from './frames';

const FIRST_CAPACITY = 4 * 1024;

/** Bytes of one kind from many frames, in one buffer that grows with them up to a bound. */
export class Gathered {
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(
    /** What the bytes are, for the message. */
    private readonly name: string,
    private readonly maxBytes: number,
  ) {}

  get length(): number {
    return this.#length;
  }

  /** All bytes so far; shares memory with the buffer. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Appends; throws HourglassError PROTOCOL_ERROR for an empty part or more than the bound. */
  add(part: Buffer): void {
    if (part.length === 0) throw violation(`a frame with no bytes of ${this.name}`);
    const length = this.#length + part.length;
    if (length > this.maxBytes) throw violation(`more than ${this.maxBytes} bytes of ${this.name}`);
    if (length > this.#buffer.length) this.#grow(length);
    part.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  #grow(needed: number): void {
    const capacity = Math.max(needed, Math.min(this.maxBytes, Math.max(FIRST_CAPACITY, 2 * this.#buffer.length)));
    const grown = Buffer.allocUnsafe(capacity);
    this.bytes.copy(grown);
    this.#buffer = grown;
  }
}
