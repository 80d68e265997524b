import { constants, type BigIntStats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Directory } from './directory';
import { asPlatformFault, describeKind, errnoOf, inputFault } from './faults';
import { nameObstacle, Obstacle, openFolder, splitPath } from './walk';
import type { OpenedFile } from './workspace';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
const CHUNK_BYTES = 256 * 1024;

/**
 * Opens a regular file below `root` for reading; undefined where there is none.
 *
 * The look before opening keeps devices and pipes from being opened at all; what counts is the look at the descriptor.
 * Files with several hard links are taken: only somebody with the right to write here on the host can have made them.
 */
export async function openRegular(root: Directory, path: string): Promise<FileHandle | undefined> {
  const { folder, leaf } = splitPath(path);
  let parent: Directory | undefined;
  try {
    parent = openFolder(root, folder);
    const seen = parent.stat(leaf);
    if (seen === undefined) return undefined;
    if (!seen.isFile()) throw new Obstacle(`is ${describeKind(seen)}, not a regular file`);
    return await open(parent.at(leaf), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw describeOpening(error, path);
  } finally {
    parent?.close();
  }
}

function describeOpening(error: unknown, path: string): Error {
  const obstacle = error instanceof Obstacle ? error : nameObstacle(error);
  if (obstacle) return inputFault(path, obstacle.reason);
  if (['ELOOP', 'ENXIO', 'EMLINK'].includes(errnoOf(error) ?? '')) {
    return inputFault(path, 'is not a regular file');
  }
  if (errnoOf(error) === 'EACCES') return inputFault(path, 'may not be read by the worker');
  return asPlatformFault(error, 'opening a file', path);
}

/** A regular file and the facts it had when it was opened; fails when they no longer hold at its last byte. */
export class DiskFile implements OpenedFile {
  readonly size: number;
  private closing: Promise<void> | undefined;
  private streamed = false;

  private constructor(
    private readonly handle: FileHandle,
    private readonly facts: BigIntStats,
    private readonly path: string,
  ) {
    this.size = Number(facts.size);
  }

  /** Takes the handle over; closes it and rejects with INPUT_FILE_ERROR where it is no regular file or too large. */
  static async check(handle: FileHandle, path: string, maxBytes: number): Promise<DiskFile> {
    try {
      const facts = await handle.stat({ bigint: true });
      if (!facts.isFile()) throw inputFault(path, 'is not a regular file');
      if (facts.size > BigInt(maxBytes)) {
        const asked = Number(facts.size);
        const reason = `has ${asked} bytes, at most ${maxBytes} are allowed`;
        throw inputFault(path, reason, { asked, max: maxBytes });
      }
      return new DiskFile(handle, facts, path);
    } catch (error) {
      await handle.close();
      throw asPlatformFault(error, 'opening a file', path);
    }
  }

  stream(): Readable {
    if (this.streamed) throw new Error('a file is streamed once');
    this.streamed = true;
    const stream = Readable.from(this.chunks(), { objectMode: false, highWaterMark: CHUNK_BYTES });
    stream.once('close', () => void this.close());
    return stream;
  }

  close(): Promise<void> {
    this.closing ??= this.handle.close();
    return this.closing;
  }

  private async *chunks(): AsyncGenerator<Buffer> {
    let position = 0;
    do {
      const chunk = await this.read(position);
      position += chunk.length;
      // The last bytes are held back until the file is known to be what it was.
      if (position === this.size) await this.checkUnchanged();
      if (chunk.length > 0) yield chunk;
    } while (position < this.size);
  }

  private async read(position: number): Promise<Buffer> {
    const wanted = Math.min(CHUNK_BYTES, this.size - position);
    if (wanted === 0) return Buffer.alloc(0);
    try {
      const { bytesRead, buffer } = await this.handle.read(Buffer.allocUnsafeSlow(wanted), 0, wanted, position);
      if (bytesRead === 0) throw inputFault(this.path, 'changed while it was read');
      return buffer.subarray(0, bytesRead);
    } catch (error) {
      throw asPlatformFault(error, 'reading a file', this.path);
    }
  }

  private async checkUnchanged(): Promise<void> {
    const now = await this.handle.stat({ bigint: true });
    if (now.size !== this.facts.size || now.mtimeNs !== this.facts.mtimeNs) {
      throw inputFault(this.path, 'changed while it was read');
    }
  }
}
