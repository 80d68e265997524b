import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder } from '../../make-folder';

const FOLDER = 'batches';

/**
 * Id of the batch that a results file is of: each start that goes on with the file has it, and finds what the one before has
 * left running. Where the file is not there yet the batch begins anew, whatever was there before under its name.
 *
 * To be asked before the file is made. Throws the system's error where its folder is not there; a state folder that cannot be
 * written costs only that difference.
 */
export function batchIdOf(output: string, stateDir: string): string {
  const path = resolve(output);
  const place = JSON.stringify([hostname(), realpathSync(dirname(path)), basename(path)]);
  return hashOf(`${place}${beginningOf(join(stateDir, FOLDER, hashOf(place)), existsSync(path))}`).slice(0, 12);
}

/** What tells this beginning of a batch from earlier ones of the same path. */
function beginningOf(file: string, goesOn: boolean): string {
  try {
    if (goesOn) return readFileSync(file, 'utf8');
    const beginning = randomBytes(8).toString('hex');
    makeFolder(dirname(file));
    writeFileSync(file, beginning, { mode: 0o600 });
    return beginning;
  } catch {
    return '';
  }
}

/** SHA-256 of a text, in hex. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
