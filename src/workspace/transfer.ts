import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SavedFile } from '../contract';
import { asPlatformFault, errnoOf, inputFault } from './faults';
import { DiskFile } from './opened-file';
import type { Workspace } from './workspace';

const { O_RDONLY, O_NONBLOCK, O_NOCTTY, O_WRONLY, O_CREAT, O_EXCL } = constants;

/** A file of this machine and the workspace path it is to have. */
export interface Import {
  readonly localPath: string;
  readonly workspacePath: string;
}

/**
 * Copies files of this machine into a workspace, all or none. Links on the local side are followed: they are the
 * user's own.
 *
 * Rejects with INPUT_FILE_ERROR (local file missing, not a regular file, changed meanwhile), with OutputRefused
 * (workspace path, quota), or with WORKSPACE_ERROR.
 */
export async function importFiles(workspace: Workspace, imports: readonly Import[]): Promise<readonly SavedFile[]> {
  const batch = await workspace.publish(`import-${randomBytes(8).toString('hex')}`);
  try {
    for (const { localPath, workspacePath } of imports) {
      const file = await openLocal(localPath);
      await batch.add(workspacePath, file.stream());
    }
    return await batch.commit();
  } finally {
    await batch.abort();
  }
}

async function openLocal(path: string): Promise<DiskFile> {
  try {
    const handle = await open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    return await DiskFile.check(handle, path, Number.MAX_SAFE_INTEGER);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw inputFault(path, 'does not exist');
    if (errnoOf(error) === 'EACCES') throw inputFault(path, 'may not be read');
    throw asPlatformFault(error, 'opening a file', path);
  }
}

/**
 * Copies a file of a workspace to this machine, atomically. A link that has the destination's name is replaced, and
 * what it points to stays as it is.
 *
 * Rejects like `Workspace.open`, and with WORKSPACE_ERROR where the destination cannot be written.
 */
export async function exportFile(workspace: Workspace, workspacePath: string, localPath: string): Promise<void> {
  const file = await workspace.open(workspacePath);
  const temporary = join(dirname(localPath), `.${basename(localPath).slice(0, 64)}.${randomBytes(6).toString('hex')}`);
  try {
    const target = await open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0o666);
    await pipeline(file.stream(), target.createWriteStream());
    await rename(temporary, localPath);
  } catch (error) {
    await rm(temporary, { force: true });
    throw asPlatformFault(error, `writing ${JSON.stringify(localPath)}`, workspacePath);
  } finally {
    await file.close();
  }
}
