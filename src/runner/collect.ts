import { Readable } from 'node:stream';
import { z } from 'zod';
import { HourglassError } from '../contract';
import type { GuestChannel } from './channel';
import { parseJsonPayload } from './payload';
import type { CollectRoot, ListedFile } from './program';
import type { GuestFrame, ToHost } from './protocol';

const listingSchema = z.object({
  entries: z.array(z.tuple([z.string().max(8_192), z.number().int().nonnegative()])).max(100_000),
  more: z.boolean(),
  truncated: z.boolean(),
});

const fileEndSchema = z.union([
  z.object({ size: z.number().int().nonnegative() }),
  z.object({ error: z.object({ code: z.string().max(64), message: z.string().max(4_096) }) }),
]);

/** A file the guest cannot or may not send; the run itself is fine. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';

  constructor(
    readonly code: string,
    readonly path: string,
    reason: string,
  ) {
    super(`${path}: ${reason}`);
  }
}

/** Regular files below a root as the guest claims them, at most `max`. */
export interface Listing {
  readonly files: readonly ListedFile[];
  readonly truncated: boolean;
}

async function expectFrame(channel: GuestChannel, types: readonly ToHost[]): Promise<GuestFrame> {
  const frame = await channel.next();
  if (frame === undefined) throw new HourglassError('SANDBOX_LOST', 'the sandbox ended while its files were collected');
  if (types.includes(frame.type)) return frame;
  throw new HourglassError('PROTOCOL_ERROR', `the sandbox broke the protocol: ${frame.type} while files are collected`);
}

/** Asks for the regular files below a root. Requires: the run has ended. */
export async function listFiles(channel: GuestChannel, root: CollectRoot, max: number): Promise<Listing> {
  await channel.send('LIST', 0, { root, max });
  const files: ListedFile[] = [];
  for (;;) {
    const part = parseJsonPayload(listingSchema, await expectFrame(channel, ['LISTING']));
    for (const [path, size] of part.entries) files.push({ path, size });
    if (files.length > max) throw new HourglassError('PROTOCOL_ERROR', `the sandbox listed more than ${max} files`);
    if (!part.more) return { files, truncated: part.truncated };
  }
}

/** Fetches files one after the other; numbers them so that no frame is taken for another file's. */
export class FileFetcher {
  #lastId = 0;

  constructor(private readonly channel: GuestChannel) {}

  /**
   * One file's bytes as a stream with back-pressure.
   *
   * The stream fails with FileRefused when the guest cannot send the file or it has more than `maxBytes`. It must be read to
   * its end or destroyed before the next file is fetched.
   */
  fetch(root: CollectRoot, path: string, maxBytes: number): Readable {
    this.#lastId += 1;
    return Readable.from(this.#receive(this.#lastId, root, path, maxBytes), {
      objectMode: false,
      highWaterMark: 1 << 20,
    });
  }

  async *#receive(id: number, root: CollectRoot, path: string, maxBytes: number): AsyncGenerator<Buffer> {
    await this.channel.send('GET', id, { root, path });
    let received = 0;
    let isOpen = true;
    try {
      for (;;) {
        const frame = await this.#frameOf(id);
        if (frame.type === 'FILE_END') {
          isOpen = false;
          checkEnd(frame, path, received);
          return;
        }
        received += frame.payload.length;
        if (received > maxBytes) throw new FileRefused('TOO_LARGE', path, `has more than ${maxBytes} bytes`);
        yield frame.payload;
      }
    } finally {
      // What is still on its way belongs to this file: taken off the stream, so that the next one begins clean.
      if (isOpen) await this.#skip(id, maxBytes);
    }
  }

  async #skip(id: number, maxBytes: number): Promise<void> {
    let skipped = 0;
    for (let frame = await this.#frameOf(id); frame.type !== 'FILE_END'; frame = await this.#frameOf(id)) {
      skipped += frame.payload.length;
      // A file fits into the sandbox's disk, which the bound of a file does not exceed by much.
      if (skipped > 2 * maxBytes) throw new HourglassError('PROTOCOL_ERROR', 'the sandbox sends a file without an end');
    }
  }

  async #frameOf(id: number): Promise<GuestFrame> {
    const frame = await expectFrame(this.channel, ['FILE_DATA', 'FILE_END']);
    if (frame.id === id) return frame;
    throw new HourglassError('PROTOCOL_ERROR', `the sandbox broke the protocol: file ${frame.id}, expected ${id}`);
  }
}

function checkEnd(frame: GuestFrame, path: string, received: number): void {
  const end = parseJsonPayload(fileEndSchema, frame);
  if ('error' in end) throw new FileRefused(end.error.code, path, end.error.message);
  if (end.size !== received) throw new FileRefused('CHANGED', path, `${received} of ${end.size} bytes arrived`);
}
