import { createReadStream } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

/** A line longer than this is not read: 64 MiB. */
export const MAX_LINE_BYTES = 64 * 1_048_576;

/** One line of a file, without its end. */
export interface FileLine {
  /** Counted from 1. */
  readonly number: number;
  /** Undefined where the line is longer than it may be. */
  readonly text: string | undefined;
  /** What it takes in the file, its end included. */
  readonly bytes: number;
  /** Whether it ends in a line feed; only the last line may not. */
  readonly hasEnd: boolean;
}

/**
 * The lines of a UTF-8 file, one at a time; holds no more than one of them. A byte order mark at the beginning is
 * left out, `\r\n` ends a line, too, and the last line needs no end. Rejects where the file cannot be read.
 */
export async function* readLines(path: string, maxBytes = MAX_LINE_BYTES): AsyncGenerator<FileLine> {
  const line = new LineBuffer(maxBytes);
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let start = 0; start < chunk.length;) {
      const end = chunk.indexOf(0x0a, start);
      line.add(chunk.subarray(start, end < 0 ? chunk.length : end));
      if (end < 0) break;
      yield line.take(true);
      start = end + 1;
    }
  }
  if (!line.isEmpty) yield line.take(false);
}

/** A line on its way in; what exceeds the bound is counted and dropped. */
class LineBuffer {
  #parts: Buffer[] = [];
  #bytes = 0;
  #number = 0;

  constructor(private readonly maxBytes: number) {}

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.maxBytes) this.#parts = [];
    else this.#parts.push(part);
  }

  take(hasEnd: boolean): FileLine {
    this.#number += 1;
    const isTooLong = this.#bytes > this.maxBytes;
    const content = Buffer.concat(this.#parts);
    const bytes = this.#bytes + (hasEnd ? 1 : 0);
    this.#parts = [];
    this.#bytes = 0;
    return { number: this.#number, text: isTooLong ? undefined : this.#decode(content), bytes, hasEnd };
  }

  #decode(bytes: Buffer): string {
    const text = new StringDecoder('utf8').end(bytes).replace(/\r$/, '');
    return this.#number === 1 ? text.replace(/^\ufeff/, '') : text;
  }
}
