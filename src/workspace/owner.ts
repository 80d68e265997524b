import { randomBytes } from 'node:crypto';
import { constants, readFileSync, readlinkSync } from 'node:fs';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { z } from 'zod';
import { using, type Directory } from './directory';
import { errnoOf } from './faults';

/** Folder of owner records in the root; no tenant's folder starts with a dot. */
export const OWNERS_FOLDER = '.owners';

/** A process elsewhere counts as gone when it has said nothing for this long. */
const SILENT_MS = 24 * 3_600_000;

const ownerSchema = z.object({ v: z.literal(1), pid: z.number().int(), startedAt: z.string(), space: z.string() });

/** One process that stages files here. Its id is part of the name of all it stages. */
export type Owner = z.infer<typeof ownerSchema> & { readonly id: string };

/** Where process ids mean the same: one boot of one machine, one pid namespace. */
const PID_SPACE = pidSpace();

function pidSpace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Start of a process in clock ticks, which tells it from a later one with the same pid; '' where unknown or ended. */
function startOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? '' : (fields[18] ?? '');
  } catch {
    return '';
  }
}

function isRunning(owner: Pick<Owner, 'pid' | 'startedAt'>): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
  return startOf(owner.pid) === owner.startedAt;
}

/** This process as an owner; a new one each time. */
export function newOwner(): Owner {
  const id = randomBytes(8).toString('hex');
  return { id, v: 1, pid: process.pid, startedAt: startOf(process.pid), space: PID_SPACE };
}

/** Writes the record of a living owner, or says that it still lives. Must be done before it stages anything. */
export async function registerOwner(root: Directory, owner: Owner): Promise<void> {
  await using(root.openOrCreate(OWNERS_FOLDER), async (owners) => {
    const { id, ...record } = owner;
    const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants;
    const handle = await open(owners.at(id), O_WRONLY | O_CREAT | O_NOFOLLOW, 0o644);
    try {
      await handle.writeFile(JSON.stringify(record));
      const now = new Date();
      await handle.utimes(now, now);
    } finally {
      await handle.close();
    }
  });
}

/** Whether the record of an owner is there. */
export function isRegistered(root: Directory, owner: Owner): boolean {
  if (root.stat(OWNERS_FOLDER) === undefined) return false;
  const owners = root.open(OWNERS_FOLDER);
  try {
    return owners.stat(owner.id) !== undefined;
  } finally {
    owners.close();
  }
}

/** Removes the record of an owner that stages nothing any more. */
export async function retireOwner(root: Directory, owner: Owner): Promise<void> {
  if (root.stat(OWNERS_FOLDER) === undefined) return;
  await using(root.open(OWNERS_FOLDER), (owners) => rm(owners.at(owner.id), { force: true }));
}

/**
 * Which owners are gone, asked for as their files are found. An owner without a record is gone: the record is written
 * before the first file, and it is removed only when its process is no more.
 */
export class OwnerSurvey {
  private readonly known = new Map<string, boolean>();

  constructor(private readonly owners: Directory) {}

  async isGone(id: string): Promise<boolean> {
    const gone = this.known.get(id) ?? (await isOwnerGone(this.owners, id));
    this.known.set(id, gone);
    return gone;
  }

  /** Those whose records are there and who are gone. */
  async gone(): Promise<string[]> {
    const gone: string[] = [];
    for (const id of await readdir(this.owners.at('.'))) if (await this.isGone(id)) gone.push(id);
    return gone;
  }

  /** Removes the records of all who are gone, and resolves with their ids. */
  async forgetGone(): Promise<string[]> {
    const gone = await this.gone();
    for (const id of gone) await rm(this.owners.at(id), { force: true });
    return gone;
  }
}

async function isOwnerGone(owners: Directory, id: string): Promise<boolean> {
  try {
    const record = ownerSchema.safeParse(parseJson(await readFile(owners.at(id), 'utf8')));
    if (record.success && record.data.space === PID_SPACE) return !isRunning(record.data);
    return Date.now() - (await stat(owners.at(id))).mtimeMs > SILENT_MS;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return true;
    throw error;
  }
}

/** A record that is being written is no JSON yet; its age decides then. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
