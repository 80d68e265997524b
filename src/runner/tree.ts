import type { Readable } from 'node:stream';
import { z } from 'zod';
import { describePathFault, HourglassError } from '../contract';
import type { GuestChannel } from './channel';
import { expectFrame } from './collect';
import { violation } from './frames';
import { parseJsonPayload } from './payload';
import { UNSENDABLE_KINDS } from './program';

/** A list travels in parts of so many bytes of JSON. */
const PART_BYTES = 512 * 1024;
/** Of a file, in one frame. */
const CHUNK_BYTES = 192 * 1024;

const count = z.number().int().nonnegative();
const mode = count.max(0o777);

export const treeFileSchema = z.object({
  path: z.string(),
  size: count,
  mode,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export const treeFolderSchema = z.object({ path: z.string(), mode });

export type TreeFile = z.infer<typeof treeFileSchema>;
export type TreeFolder = z.infer<typeof treeFolderSchema>;

/** What lies below /sandbox, as the guest claims it. */
export interface Tree {
  readonly files: readonly TreeFile[];
  readonly folders: readonly TreeFolder[];
  /** Entries that cannot be kept: links, pipes, sockets, names that no request could hold, what its owner has closed. */
  readonly others: number;
}

/** Entries are checked one by one, and the first wrong one ends it, as in any listing. */
const entrySchema = z.union([
  z.tuple([z.string(), count, mode, treeFileSchema.shape.sha256]),
  z.tuple([z.string(), z.literal('folder'), mode]),
  z.tuple([z.string(), z.enum([...UNSENDABLE_KINDS, 'closed'])]),
]);

const listingSchema = z.object({
  entries: z.array(z.unknown()),
  more: z.boolean(),
  truncated: z.boolean(),
});

/** How much of a tree is looked at. */
export interface TreeBounds {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * All that lies below /sandbox, with digests; undefined where that is more than the bounds. Requires: as `listFiles`.
 *
 * Rejects with HourglassError SANDBOX_LOST or PROTOCOL_ERROR.
 */
export async function listTree(channel: GuestChannel, { entries: max, bytes }: TreeBounds): Promise<Tree | undefined> {
  await channel.send('LIST', 0, { root: 'sandbox', max, digestBytes: bytes });
  const files: TreeFile[] = [];
  const folders: TreeFolder[] = [];
  let others = 0;
  for (;;) {
    const part = parseJsonPayload(listingSchema, await expectFrame(channel, 'LISTING'));
    if (part.more && part.entries.length === 0) throw violation('a part of a listing without entries');
    if (files.length + folders.length + others + part.entries.length > max) {
      throw violation(`a listing of more than ${max} entries`);
    }
    for (const listed of part.entries) {
      const { success, data: entry } = entrySchema.safeParse(listed);
      if (!success) throw violation('an entry of a listing that is not as it should be');
      const [path] = entry;
      if (entry.length === 2 || describePathFault(path) !== undefined) others += 1;
      else if (entry.length === 3) folders.push({ path, mode: entry[2] });
      else files.push({ path, size: entry[1], mode: entry[2], sha256: entry[3] });
    }
    if (!part.more) return part.truncated ? undefined : { files, folders, others };
  }
}

const arrangedSchema = z.object({ missing: z.array(count) });
const stageErrorSchema = z.object({ path: z.string(), code: z.string().max(64), message: z.string() });

/** Why /sandbox is not what it was to become: the name of an errno, such as `ENOSPC`. */
export interface ArrangeFault {
  readonly code: string;
  readonly path: string;
}

/**
 * Makes all that lies below /sandbox what a tree says; `open` gives the bytes of a file that is not there yet. Resolves with
 * what was in the way where the guest could not do it to the end.
 *
 * Requires: the guest is ready for a call, and none was sent. Rejects with HourglassError SANDBOX_LOST or PROTOCOL_ERROR, or
 * with what `open` rejects with; the guest is in the middle of it then, and the next NEXT ends that.
 */
export async function arrangeTree(
  channel: GuestChannel,
  { files, folders }: Tree,
  open: (file: TreeFile) => Promise<Readable>,
): Promise<ArrangeFault | undefined> {
  for (const part of partsOf({ files, folders })) await channel.send('ARRANGE', 0, part);
  const listed = await arranged(channel);
  if (listed.fault !== undefined) return finish(channel, listed.fault);
  for (const index of listed.missing) {
    const file = files[index];
    if (file === undefined) throw violation('a file is missing that nobody has named');
    await sendParts(channel, index + 1, file, await open(file));
  }
  return finish(channel, undefined);
}

/** As JSON: a host that dies in the middle of it must not cost the session, whose variables are in the sandbox. */
async function sendParts(channel: GuestChannel, id: number, { path, size }: TreeFile, source: Readable): Promise<void> {
  await channel.send('FILE', id, { path, size });
  let sent = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    for (let start = 0; start < chunk.length; start += CHUNK_BYTES) {
      await channel.send('PART', id, { data: chunk.subarray(start, start + CHUNK_BYTES).toString('base64') });
    }
    sent += chunk.length;
  }
  if (sent === size) return;
  throw new HourglassError('INPUT_FILE_ERROR', `file ${JSON.stringify(path)} is not kept as it was`, { path });
}

async function finish(channel: GuestChannel, before: ArrangeFault | undefined): Promise<ArrangeFault | undefined> {
  await channel.send('START', 0, {});
  const { fault } = await arranged(channel);
  return before ?? fault;
}

/** What the guest says of a step. */
async function arranged(
  channel: GuestChannel,
): Promise<{ missing: readonly number[]; fault: ArrangeFault | undefined }> {
  let fault: ArrangeFault | undefined;
  for (;;) {
    const frame = await expectFrame(channel, 'ARRANGED', 'STAGE_ERROR');
    if (frame.type === 'ARRANGED') return { ...parseJsonPayload(arrangedSchema, frame), fault };
    const { code, path } = parseJsonPayload(stageErrorSchema, frame);
    fault ??= { code, path };
  }
}

/** The list of a tree in parts that a frame can hold. */
function* partsOf({ files, folders }: Pick<Tree, 'files' | 'folders'>): Generator<Buffer> {
  const entries = [
    ...files.map(({ path, size, mode, sha256 }) => JSON.stringify([path, size, mode, sha256])),
    ...folders.map(({ path, mode }) => JSON.stringify([path, 'folder', mode])),
  ];
  let part: string[] = [];
  let bytes = 0;
  let first = true;
  const encoded = (more: boolean): Buffer =>
    Buffer.from(`{"entries":[${part.join(',')}],"first":${first},"more":${more}}`);
  for (const entry of entries) {
    part.push(entry);
    bytes += Buffer.byteLength(entry);
    if (bytes < PART_BYTES) continue;
    yield encoded(true);
    [part, bytes, first] = [[], 0, false];
  }
  yield encoded(false);
}
