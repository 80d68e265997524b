import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and its parents where they are missing. Throws the system's error.
 *
 * By single steps: Node's own recursive `mkdir` never ends where the system says ENOENT for a new folder, as below /proc.
 */
export function makeFolder(dir: string): void {
  if (attempt(dir) === undefined) return;
  if (dirname(dir) !== dir) makeFolder(dirname(dir));
  const error = attempt(dir);
  if (error !== undefined) throw error;
}

/** Undefined where the folder is there now, whoever made it. */
function attempt(dir: string): Error | undefined {
  try {
    mkdirSync(dir);
    return undefined;
  } catch (error) {
    return statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true ? undefined : (error as Error);
  }
}
