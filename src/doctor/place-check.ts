import { randomBytes } from 'node:crypto';
import { mkdir, open, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failure, pass, warning, type Verdict } from './check';

const MiB = 2 ** 20;

/** A folder that a worker needs. */
export interface Place {
  readonly dir: string;
  /** Variable that names it. */
  readonly variable: string;
  /** Less free space is a warning, in bytes. */
  readonly wantedBytes: number;
}

/** Whether a folder, or the one that it will be made in, can be written, and how much room there is. Leaves nothing behind. */
export async function checkPlace({ dir, variable, wantedBytes }: Place): Promise<Verdict> {
  const remedy = `make it writable for this user, or set ${variable} to another folder`;
  try {
    const existing = await nearestFolder(dir);
    if (existing === dir) await writeFile(dir);
    else await makeFolder(existing);
    const { bavail, bsize } = await statfs(existing);
    const free = bavail * bsize;
    const detail = `${dir}${existing === dir ? '' : ' (will be made)'}, ${Math.floor(free / MiB)} MB free`;
    if (free >= wantedBytes) return pass(detail);
    return warning(
      `${detail}, less than ${Math.ceil(wantedBytes / MiB)} MB`,
      `free some space, or set ${variable} to a folder of a larger disk`,
    );
  } catch (error) {
    return failure(`${dir} cannot be used: ${error instanceof Error ? error.message : String(error)}`, remedy);
  }
}

/** The folder itself, or the nearest one above it that is there. */
async function nearestFolder(dir: string): Promise<string> {
  try {
    if ((await stat(dir)).isDirectory()) return dir;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(dir) === dir) throw error;
    return nearestFolder(dirname(dir));
  }
  throw new Error(`${dir} is not a folder`);
}

const probeName = (dir: string): string => join(dir, `.hourglass-doctor-${randomBytes(6).toString('hex')}`);

async function writeFile(dir: string): Promise<void> {
  const file = probeName(dir);
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile('probe\n');
    await handle.sync();
  } finally {
    await handle.close();
    await rm(file, { force: true });
  }
}

async function makeFolder(parent: string): Promise<void> {
  const folder = probeName(parent);
  await mkdir(folder);
  await rm(folder, { recursive: true, force: true });
}
