import { Readable } from 'node:stream';
import { z } from 'zod';
import { HourglassError } from '../contract';
import { safeText } from '../telemetry/safe-text';
import type { GuestChannel } from './channel';
import { violation } from './frames';
import { TakenOver } from './leave';
import { parseJsonPayload } from './payload';
import { UNSENDABLE_KINDS, type CollectRoot, type ListedFile, type ListedOther } from './program';
import type { GuestFrame, ToHost } from './protocol';

const REASON_LENGTH = 200;
/** Entries one LISTING frame can hold at all. */
const MAX_ENTRIES = 100_000;
/** Of all paths of a listing together; the guest lists no more bytes than that. */
const MAX_LISTED_CHARACTERS = 8 * 1_048_576;

/** Entries are checked one by one: of a frame full of wrong ones the schema would make a list of all, for seconds. */
const listingSchema = z.object({
  entries: z.array(z.unknown()).max(MAX_ENTRIES),
  more: z.boolean(),
  truncated: z.boolean(),
});

const entrySchema = z.tuple([z.string(), z.union([z.number().int().nonnegative(), z.enum(UNSENDABLE_KINDS)])]);

const fileEndSchema = z.union([
  z.object({ size: z.number().int().nonnegative() }),
  z.object({ error: z.object({ code: z.string().max(64), message: z.string() }) }),
]);

/** A file the guest cannot or may not send; the run itself is fine. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';

  constructor(
    /** Name of an errno such as `ENOENT`, or `NOT_REGULAR`, `CHANGED`, `TOO_LARGE`. */
    readonly code: string,
    readonly path: string,
    reason: string,
  ) {
    super(`${path}: ${reason}`);
  }
}

/** What lies below a root as the guest claims it, folders aside; at most as many entries as were asked for. */
export interface Listing {
  readonly files: readonly ListedFile[];
  readonly others: readonly ListedOther[];
  /** There are files that are not listed. */
  readonly truncated: boolean;
}

/** The next frame, which must be of one of these types. Rejects with HourglassError SANDBOX_LOST or PROTOCOL_ERROR. */
export async function expectFrame(channel: GuestChannel, ...types: readonly ToHost[]): Promise<GuestFrame> {
  const frame = await channel.next();
  if (frame === undefined) {
    const message = 'the sandbox ended while its files were collected';
    throw new HourglassError('SANDBOX_LOST', message, {}, { cause: channel.cause });
  }
  if (types.includes(frame.type)) return frame;
  if (frame.type === 'ATTACHED') throw new TakenOver();
  throw violation(`${frame.type} while files are collected`);
}

/**
 * Asks for what lies below a root. Paths are as the guest sends them: check them before use.
 *
 * Requires: the run has ended, and no file is being fetched. Rejects with HourglassError SANDBOX_LOST or PROTOCOL_ERROR.
 */
export async function listFiles(channel: GuestChannel, root: CollectRoot, max: number): Promise<Listing> {
  await channel.send('LIST', 0, { root, max });
  const files: ListedFile[] = [];
  const others: ListedOther[] = [];
  let characters = 0;
  for (;;) {
    const part = parseJsonPayload(listingSchema, await expectFrame(channel, 'LISTING'));
    if (part.more && part.entries.length === 0) throw violation('a part of a listing without entries');
    const count = files.length + others.length + part.entries.length;
    if (count > max) throw violation(`a listing of more than ${max} entries`);
    for (const entry of part.entries) {
      const [path, fact] = entryOf(entry);
      characters += path.length;
      if (typeof fact === 'number') files.push({ path, size: fact });
      else others.push({ path, kind: fact });
    }
    if (characters > MAX_LISTED_CHARACTERS)
      throw violation(`a listing of more than ${MAX_LISTED_CHARACTERS} characters`);
    if (!part.more) return { files, others, truncated: part.truncated };
  }
}

function entryOf(entry: unknown): z.output<typeof entrySchema> {
  const { success, data } = entrySchema.safeParse(entry);
  if (!success) throw violation('an entry of a listing that is not as it should be');
  return data;
}

/**
 * Fetches files one after the other; numbers them so that no frame is taken for another file's.
 *
 * A fetch begins when its stream is first read and the one before has ended; a stream that is destroyed early is read to its
 * end in the background, so that the next one begins clean.
 */
export class FileFetcher {
  #lastId = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly channel: GuestChannel) {}

  /**
   * One file's bytes as a stream with back-pressure.
   *
   * The stream fails with FileRefused when the guest cannot send the file or it has more than `maxBytes` (nothing is sent
   * then), with HourglassError SANDBOX_LOST or PROTOCOL_ERROR when the guest does not keep to the protocol.
   */
  fetch(root: CollectRoot, path: string, maxBytes: number): Readable {
    return Readable.from(this.#receive(root, path, maxBytes), { objectMode: false });
  }

  /** Resolves when nothing of a file is on its way any more. */
  async settled(): Promise<void> {
    await this.#last;
  }

  async *#receive(root: CollectRoot, path: string, maxBytes: number): AsyncGenerator<Buffer> {
    const release = await this.#acquire();
    this.#lastId += 1;
    const file = new IncomingFile(this.channel, this.#lastId, path, maxBytes);
    try {
      await this.channel.send('GET', file.id, { root, path, maxBytes });
      for (let part = await file.next(); part !== undefined; part = await file.next()) yield part;
    } finally {
      // What is still on its way belongs to this file. Where that fails, the next reader meets the same failure.
      void file.skip().then(release, release);
    }
  }

  /** Waits until the channel is free; the result frees it again. */
  async #acquire(): Promise<() => void> {
    const before = this.#last;
    let release = (): void => undefined;
    this.#last = new Promise<void>((resolve) => (release = resolve));
    await before;
    return release;
  }
}

/** One file while it arrives. */
class IncomingFile {
  #received = 0;
  #isOver = false;

  constructor(
    private readonly channel: GuestChannel,
    readonly id: number,
    private readonly path: string,
    private readonly maxBytes: number,
  ) {}

  /** The next bytes; undefined at the end. Rejects with FileRefused, SANDBOX_LOST or PROTOCOL_ERROR, and is over then. */
  async next(): Promise<Buffer | undefined> {
    try {
      return await this.#next();
    } catch (error) {
      this.#isOver = true;
      throw error;
    }
  }

  /** Takes the rest off the channel. */
  async skip(): Promise<void> {
    while (!this.#isOver) await this.next();
  }

  async #next(): Promise<Buffer | undefined> {
    const frame = await expectFrame(this.channel, 'FILE_DATA', 'FILE_END');
    if (frame.id !== this.id) throw violation(`a part of file ${frame.id}, expected ${this.id}`);
    if (frame.type === 'FILE_END') return this.#finish(frame);
    this.#received += frame.payload.length;
    if (frame.payload.length === 0) throw violation('a part of a file without bytes');
    if (this.#received > this.maxBytes) throw violation(`more than the ${this.maxBytes} bytes of a file`);
    return frame.payload;
  }

  #finish(frame: GuestFrame): undefined {
    this.#isOver = true;
    const end = parseJsonPayload(fileEndSchema, frame);
    if ('error' in end) {
      throw new FileRefused(safeText(end.error.code, 64), this.path, safeText(end.error.message, REASON_LENGTH));
    }
    if (end.size !== this.#received) throw violation(`a file of ${end.size} bytes, ${this.#received} arrived`);
  }
}
