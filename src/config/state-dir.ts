import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { makeFolder } from '../make-folder';
import { ConfigError } from './errors';

/**
 * Makes the folder that this host keeps its state in, where it is missing.
 *
 * Rejects with ConfigError that names the variable where the folder cannot be made or written.
 */
export async function ensureStateDir(dir: string): Promise<void> {
  try {
    makeFolder(dir);
    await access(dir, constants.W_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      { name: 'HOURGLASS_STATE_DIR', value: JSON.stringify(dir), rule: `cannot be used as a folder: ${reason}` },
    ]);
  }
}
