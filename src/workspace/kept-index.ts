import { open, readdir, readFile, rename } from 'node:fs/promises';
import { z } from 'zod';
import { using, type Directory } from './directory';
import { errnoOf } from './faults';
import { KEPT_FOLDER } from './tenant-folder';
import type { KeptIndex } from './workspace';

const INDEX_FILE = 'index.json';
/** What has no index was left in the middle of its first call, or of its removal. */
const UNNAMED_MS = 24 * 3_600_000;

const indexSchema: z.ZodType<KeptIndex> = z.object({
  v: z.literal(1),
  generation: z.number().int().nonnegative(),
  until: z.number(),
  calls: z.array(z.object({ call: z.number().int().nonnegative(), tree: z.string().regex(/^[0-9a-f]{64}$/) })),
});

/** Undefined where there is none, or one that this version cannot read. */
export async function readKeptIndex(folder: Directory): Promise<KeptIndex | undefined> {
  try {
    const parsed = indexSchema.safeParse(JSON.parse(await readFile(folder.at(INDEX_FILE), 'utf8')));
    return parsed.data;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Replaces it in one step. */
export async function writeKeptIndex(folder: Directory, index: KeptIndex, durable: boolean): Promise<void> {
  const temporary = folder.at(`.${INDEX_FILE}`);
  const handle = await open(temporary, 'w', 0o644);
  try {
    await handle.writeFile(JSON.stringify({ v: 1, ...index }));
    if (durable) await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(temporary, folder.at(INDEX_FILE));
  if (durable) await folder.sync();
}

/** Folders of sessions whose time is over: they have ended, and no worker was there to remove what was kept of them. */
export async function findOutlived(tenant: Directory, now: number): Promise<string[]> {
  const found: string[] = [];
  try {
    await using(tenant.open(KEPT_FOLDER), async (sessions) => {
      for (const name of await readdir(sessions.at('.'))) {
        if (await isOutlived(sessions, name, now)) found.push(`${KEPT_FOLDER}/${name}`);
      }
    });
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  return found;
}

async function isOutlived(sessions: Directory, name: string, now: number): Promise<boolean> {
  const entry = sessions.stat(name);
  if (!entry?.isDirectory()) return false;
  const index = await using(sessions.open(name), readKeptIndex);
  return now > (index?.until ?? entry.mtimeMs + UNNAMED_MS);
}
