import { createHash } from 'node:crypto';
import { constants, fchmodSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { asPlatformFault } from './faults';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const FILE_MODE = 0o644;

/** Bytes that are collected before they are written; the next block fills while one is on its way to the disk. */
const BLOCK_BYTES = 512 * 1024;

/** A file that is written under a temporary name. */
export interface Staged {
  readonly size: number;
  readonly sha256: string;
  /** Settles when the bytes are durable and the descriptor is closed; started at once, so that commits find it done. */
  readonly durable: Promise<void>;
}

/**
 * Streams `content` into a new file at `target`. Before bytes are kept, `claim` is asked for them; where it rejects,
 * nothing more is read. Memory is bounded by two blocks.
 *
 * Rejects with the error of `content` or of `claim`, or with HourglassError WORKSPACE_ERROR.
 */
export async function stageFile(
  target: string,
  content: Readable,
  claim: (bytes: number) => Promise<void>,
): Promise<Staged> {
  const handle = await create(target);
  try {
    const written = await writeAll(handle, content, claim);
    const durable = handle.sync().finally(() => handle.close());
    durable.catch(() => undefined);
    return { ...written, durable };
  } catch (error) {
    await handle.close();
    await rm(target, { force: true });
    throw error;
  }
}

async function create(target: string): Promise<FileHandle> {
  try {
    const handle = await open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FILE_MODE);
    // The process's umask does not decide who may read results.
    fchmodSync(handle.fd, FILE_MODE);
    return handle;
  } catch (error) {
    throw asPlatformFault(error, 'storing a file');
  }
}

async function writeAll(
  handle: FileHandle,
  content: Readable,
  claim: (bytes: number) => Promise<void>,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  let block: Buffer[] = [];
  let blockBytes = 0;
  let writing = Promise.resolve();
  try {
    for await (const piece of content as AsyncIterable<Buffer | string>) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      await claim(bytes.length);
      hash.update(bytes);
      size += bytes.length;
      block.push(bytes);
      blockBytes += bytes.length;
      if (blockBytes < BLOCK_BYTES) continue;
      await writing;
      writing = writeBlock(handle, block, blockBytes);
      writing.catch(() => undefined);
      block = [];
      blockBytes = 0;
    }
  } finally {
    await writing.catch(() => undefined);
  }
  await writing;
  await writeBlock(handle, block, blockBytes);
  return { size, sha256: hash.digest('hex') };
}

async function writeBlock(handle: FileHandle, block: readonly Buffer[], bytes: number): Promise<void> {
  try {
    if (bytes === 0) return;
    const { bytesWritten } = await handle.writev(block);
    // A short write comes before a full disk; writing the rest brings the error.
    if (bytesWritten < bytes) await handle.appendFile(Buffer.concat(block).subarray(bytesWritten));
  } catch (error) {
    throw asPlatformFault(error, 'storing a file');
  }
}
