import { readdir } from 'node:fs/promises';
import { using, type Directory } from './directory';
import { errnoOf } from './faults';
import type { OwnerSurvey } from './owner';
import { keptBytes } from './kept-folder';
import { findOutlived } from './kept-index';
import { FOLDERS, isTenant, KEPT_FOLDER, listFolder, openTenant, ownerOf } from './tenant-folder';
import type { LeftUnfinished } from './workspace';

type Names = [workspace: string, user: string];

/** Shows each tenant's folder to `visit`, one after the other; what fails for one goes to `onFault`. */
export async function visitTenants(
  root: Directory,
  visit: (tenant: Directory, names: Names) => Promise<void>,
  onFault: (error: unknown, names: Names) => void,
): Promise<void> {
  for (const workspace of await foldersIn(root)) {
    for (const user of await foldersIn(root, workspace)) {
      let tenant: Directory | undefined;
      try {
        tenant = openTenant(root, [workspace, user]);
        if (tenant && isTenant(tenant)) await visit(tenant, [workspace, user]);
      } catch (error) {
        onFault(error, [workspace, user]);
      } finally {
        tenant?.close();
      }
    }
  }
}

/** What processes that are gone left in a tenant's folder, and what outlived its session there. */
export async function findUnfinished(
  tenant: Directory,
  names: Names,
  survey: Pick<OwnerSurvey, 'isGone'>,
): Promise<LeftUnfinished[]> {
  const found: LeftUnfinished[] = [];
  for (const [folder, kind] of [
    [FOLDERS.committed, 'batch'],
    [FOLDERS.staging, 'staging'],
  ] as const) {
    for (const name of await listFolder(tenant, folder)) {
      const owner = ownerOf(name);
      if (owner !== undefined && !(await survey.isGone(owner))) continue;
      const bytes = await using(tenant.open(folder), (directory) => sizeOf(directory, name));
      found.push({ kind, tenant: names.join('/'), name, bytes });
    }
  }
  for (const folder of await findOutlived(tenant, Date.now())) {
    const name = folder.slice(KEPT_FOLDER.length + 1);
    found.push({ kind: 'session', tenant: names.join('/'), name, bytes: await keptBytes(tenant, folder) });
  }
  return found;
}

/** Bytes of a file, or of the files of a batch; a batch has no folders. 0 where it is gone by now. */
async function sizeOf(directory: Directory, name: string): Promise<number> {
  const entry = directory.stat(name);
  if (!entry?.isDirectory()) return entry?.size ?? 0;
  try {
    return await using(directory.open(name), async (batch) => {
      const sizes = (await readdir(batch.at('.'))).map((file) => batch.stat(file)?.size ?? 0);
      return sizes.reduce((sum, size) => sum + size, 0);
    });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** Folders at the root, or in one of its folders; those of our own start with a dot. */
async function foldersIn(root: Directory, name = '.'): Promise<string[]> {
  return using(root.open(name), async (directory) => {
    const entries = await readdir(directory.at('.'), { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map((entry) => entry.name);
  });
}
