import { readdir, rm } from 'node:fs/promises';
import { HourglassError, idSchema, type Tenant } from '../contract';
import type { Directory } from './directory';
import { errnoOf } from './faults';
import { encodeName } from './names';

/**
 * What lies in a tenant's folder. `files` is what users see; batches are collected in `staging` and move to
 * `committed` when they are complete. All on one file system, so that moving is renaming.
 */
export const FOLDERS = { files: 'files', staging: 'staging', committed: 'committed' } as const;

/** What is kept of sessions, a folder each; made with the first of them, so a tenant is one without it. */
export const KEPT_FOLDER = 'sessions';

/** Names of the two folders that lead to a tenant. Throws HourglassError VALIDATION_ERROR for ids that are none. */
export function tenantNames(tenant: Tenant): [workspace: string, user: string] {
  for (const [field, id] of Object.entries({ workspaceId: tenant.workspaceId, userId: tenant.userId })) {
    const parsed = idSchema.safeParse(id);
    if (parsed.success) continue;
    throw new HourglassError('VALIDATION_ERROR', `${field} ${parsed.error.issues[0]?.message ?? 'is not an id'}`);
  }
  return [encodeName(tenant.workspaceId), encodeName(tenant.userId)];
}

/** Opens a tenant's folder; undefined where the tenant has none yet. */
export function openTenant(root: Directory, names: readonly [string, string]): Directory | undefined {
  let workspace: Directory | undefined;
  try {
    workspace = root.open(names[0]);
    return workspace.open(names[1]);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  } finally {
    workspace?.close();
  }
}

/** Opens a tenant's folder and makes what is missing of it, durably. */
export async function createTenant(root: Directory, names: readonly [string, string]): Promise<Directory> {
  const parents: Directory[] = [];
  const changed = new Set<Directory>();
  let folder = root;
  try {
    for (const name of names) {
      const parent = folder;
      folder = parent.openOrCreate(name, () => changed.add(parent));
      parents.push(folder);
    }
    for (const name of Object.values(FOLDERS)) folder.openOrCreate(name, () => changed.add(folder)).close();
    for (const directory of changed) await directory.sync();
    parents.pop();
    return folder;
  } finally {
    for (const parent of parents) parent.close();
  }
}

/** Whether a folder is a tenant's, complete: a folder that happens to lie here is left alone. */
export function isTenant(folder: Directory): boolean {
  return Object.values(FOLDERS).every((name) => folder.stat(name)?.isDirectory());
}

/**
 * Name of a batch's folder: the batch, the process that stages it, and a number. `~` occurs in no other part.
 */
export function batchFolder(batchId: string, ownerId: string, serial: number): string {
  return `${encodeName(batchId)}~${ownerId}~${serial}`;
}

/** Whether a folder holds an attempt at this batch. */
export function isAttemptAt(folder: string, batchId: string): boolean {
  return folder.startsWith(`${encodeName(batchId)}~`);
}

/** Process that made a folder in `staging`; undefined for names that are not ours. */
export function ownerOf(folder: string): string | undefined {
  return folder.split('~')[1];
}

/** Entries of one of the tenant's folders. */
export async function listFolder(tenant: Directory, folder: string): Promise<string[]> {
  const directory = tenant.open(folder);
  try {
    return await readdir(directory.at('.'));
  } finally {
    directory.close();
  }
}

/** Removes an entry of one of the tenant's folders with all it holds; no error where it is gone. */
export async function removeEntry(tenant: Directory, folder: string, name: string): Promise<void> {
  const directory = tenant.open(folder);
  try {
    await rm(directory.at(name), { recursive: true, force: true });
  } finally {
    directory.close();
  }
}
