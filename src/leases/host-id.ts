import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { idSchema } from '../contract';
import { makeFolder } from '../make-folder';
import { LeaseStoreError } from './store-probe';

const HOST_ID_FILE = 'host-id';
const HOSTNAME_CHARS = 40;

/** Recognisable by people, unique by chance: `web-1-3f9c2a7b`. */
function makeHostId(): string {
  const name = hostname()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, HOSTNAME_CHARS)
    .replace(/^-+|-+$/g, '');
  return `${name === '' ? 'host' : name}-${randomBytes(4).toString('hex')}`;
}

async function readHostId(file: string): Promise<string | undefined> {
  try {
    const text = (await readFile(file, 'utf8')).trim();
    if (idSchema.safeParse(text).success) return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  throw new LeaseStoreError(`${file} holds no host id; restore it, or remove it to make this a new host`);
}

/** Writes a whole file first and links it to its name: of several processes one is first, and all read its id. */
async function propose(file: string, id: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(temporary, 'wx', 0o644);
    try {
      await handle.writeFile(`${id}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  await handle.sync().finally(() => handle.close());
}

/**
 * The id of this host, kept in `dir` and made at the first call. Processes that call at the same time get the same.
 *
 * Rejects with the system's error, or with LeaseStoreError that names the file where it was damaged.
 */
export async function loadHostId(dir: string): Promise<string> {
  makeFolder(dir);
  const file = join(dir, HOST_ID_FILE);
  const known = await readHostId(file);
  if (known !== undefined) return known;
  await propose(file, makeHostId());
  await syncFolder(dir);
  return (await readHostId(file)) ?? loadHostId(dir);
}
