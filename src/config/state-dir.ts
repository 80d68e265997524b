import { constants } from 'node:fs';
import { access, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError } from './errors';

/**
 * Makes the folder that this host keeps its state in, where it is missing.
 *
 * Rejects with ConfigError that names the variable where the folder cannot be made or written.
 */
export async function ensureStateDir(dir: string): Promise<void> {
  try {
    await makeFolder(dir);
    await access(dir, constants.W_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      { name: 'HOURGLASS_STATE_DIR', value: JSON.stringify(dir), rule: `cannot be used as a folder: ${reason}` },
    ]);
  }
}

/** By single steps: Node's own recursive `mkdir` never ends below /proc, where a new folder is ENOENT. */
async function makeFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(dir)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(dir) === dir) throw error;
    await makeFolder(dirname(dir));
    // Somebody else may have been as fast.
    await mkdir(dir).catch(async (failure: NodeJS.ErrnoException) => {
      if (failure.code !== 'EEXIST' || !(await stat(dir)).isDirectory()) throw failure;
    });
  }
}
