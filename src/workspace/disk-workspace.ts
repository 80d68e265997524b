import { rmdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describePathFault, type Tenant } from '../contract';
import { DiskBatch } from './batch';
import type { Directory } from './directory';
import { asPlatformFault, describeKind, errnoOf, inputFault } from './faults';
import { KeptFolder } from './kept-folder';
import { spellings } from './names';
import { DiskFile, openRegular } from './opened-file';
import { takeOver } from './recover';
import type { StoreContext } from './store-context';
import { createTenant, FOLDERS, openTenant, tenantNames } from './tenant-folder';
import type { FileEntry } from './tree';
import { walkFiles } from './tree';
import { nameObstacle, Obstacle, openFolder, splitPath } from './walk';
import type { KeptFiles, OpenedFile, PublishBatch, Workspace } from './workspace';

/** One tenant's files in `<dir>/<workspaceId>/<userId>/files`. */
export class DiskWorkspace implements Workspace {
  private readonly names: [string, string];

  constructor(
    private readonly context: StoreContext,
    readonly tenant: Tenant,
  ) {
    this.names = tenantNames(tenant);
  }

  async open(workspacePath: string): Promise<OpenedFile> {
    checkInputPath(workspacePath);
    const files = this.openFiles();
    try {
      for (const path of files ? spellings(workspacePath) : []) {
        const handle = files && (await openRegular(files, path));
        if (handle) return await DiskFile.check(handle, workspacePath, this.context.options.maxFileBytes);
      }
    } finally {
      files?.close();
    }
    throw inputFault(workspacePath, 'does not exist');
  }

  async publish(batchId: string): Promise<PublishBatch> {
    const { usage, giveBack } = this.context.borrowUsage(this.tenant);
    let tenant: Directory | undefined;
    try {
      tenant = await this.createTenant();
      await usage.load(tenant);
      await takeOver(this.context, tenant, usage, batchId);
      const { quotaBytes, maxFileBytes, onStep, log } = this.context.options;
      const folder = this.context.newFolder(batchId);
      const bounds = { quotaBytes, maxFileBytes };
      return new DiskBatch({ ...bounds, tenant, usage, batchId, folder, onStep, log, onSettled: giveBack });
    } catch (error) {
      tenant?.close();
      giveBack();
      throw asPlatformFault(error, 'opening the workspace');
    }
  }

  async *list(prefix = ''): AsyncGenerator<FileEntry> {
    if (prefix !== '') checkInputPath(prefix.replace(/\/$/, ''));
    const files = this.openFiles();
    if (files === undefined) return;
    try {
      yield* walkFiles(files, prefix);
    } catch (error) {
      throw asPlatformFault(error, 'listing files');
    } finally {
      files.close();
    }
  }

  async remove(workspacePath: string): Promise<void> {
    checkInputPath(workspacePath);
    const files = this.openFiles();
    try {
      for (const path of files ? spellings(workspacePath) : []) {
        const freed = files && (await removeRegular(files, path));
        if (freed !== undefined) return await this.account(-freed);
      }
    } catch (error) {
      const obstacle = error instanceof Obstacle ? error : nameObstacle(error);
      throw obstacle
        ? inputFault(workspacePath, obstacle.reason)
        : asPlatformFault(error, 'removing a file', workspacePath);
    } finally {
      files?.close();
    }
  }

  kept(name: string): KeptFiles {
    return new KeptFolder(this.context, this.tenant, name);
  }

  locate(workspacePath: string): string | undefined {
    if (describePathFault(workspacePath) !== undefined) return undefined;
    return join(this.context.options.dir, ...this.names, FOLDERS.files, workspacePath.normalize('NFC'));
  }

  private openFiles(): Directory | undefined {
    let root: Directory | undefined;
    let tenant: Directory | undefined;
    try {
      root = this.context.openRoot();
      tenant = root && openTenant(root, this.names);
      return tenant?.open(FOLDERS.files);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw asPlatformFault(error, 'opening the workspace');
    } finally {
      tenant?.close();
      root?.close();
    }
  }

  private async createTenant(): Promise<Directory> {
    const root = this.context.createRoot();
    try {
      await this.context.announce(root);
      return await createTenant(root, this.names);
    } finally {
      root.close();
    }
  }

  private async account(bytes: number): Promise<void> {
    const { usage, giveBack } = this.context.borrowUsage(this.tenant);
    let tenant: Directory | undefined;
    try {
      tenant = await this.createTenant();
      await usage.load(tenant);
      await usage.add(tenant, bytes);
    } finally {
      tenant?.close();
      giveBack();
    }
  }
}

function checkInputPath(path: string): void {
  const fault = describePathFault(path);
  if (fault !== undefined) throw inputFault(path, fault);
}

/** Removes a regular file and the folders that are empty then; its size, or undefined where there is none. */
async function removeRegular(files: Directory, path: string): Promise<number | undefined> {
  const { folder, leaf } = splitPath(path);
  let parent: Directory | undefined;
  try {
    parent = openFolder(files, folder);
    const found = parent.stat(leaf);
    if (found === undefined) return undefined;
    if (!found.isFile()) throw new Obstacle(`is ${describeKind(found)}, not a regular file`);
    await unlink(parent.at(leaf));
    removeEmptyFolders(files, folder);
    return found.size;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  } finally {
    parent?.close();
  }
}

/** Folders are there for the files in them; one that is in use or not empty stays. */
function removeEmptyFolders(files: Directory, folder: string): void {
  for (let path = folder; path !== ''; path = splitPath(path).folder) {
    const { folder: above, leaf } = splitPath(path);
    let parent: Directory | undefined;
    try {
      parent = openFolder(files, above);
      rmdirSync(parent.at(leaf));
    } catch {
      return;
    } finally {
      parent?.close();
    }
  }
}
