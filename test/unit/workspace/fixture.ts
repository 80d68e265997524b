import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import type { SavedFile, Tenant } from '../../../src/contract';
import { createDiskWorkspaceStore, type DiskStoreOptions } from '../../../src/workspace/disk-store';
import type { PublishBatch, Workspace, WorkspaceStore } from '../../../src/workspace/workspace';

export const TENANT: Tenant = { workspaceId: 'acme', userId: 'alice' };

/** A folder of its own with a store on it, removed by `remove`. */
export class Fixture {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'hourglass-workspace-')));
  readonly root = join(this.dir, 'store');

  store(options: Partial<DiskStoreOptions> = {}): WorkspaceStore {
    return createDiskWorkspaceStore({ dir: this.root, quotaBytes: 1e9, maxFileBytes: 1e9, ...options });
  }

  workspace(options: Partial<DiskStoreOptions> = {}, tenant = TENANT): Promise<Workspace> {
    return this.store(options).open(tenant);
  }

  /** Path on disk of a file of the default tenant; its folder is made. */
  path(workspacePath: string): string {
    const path = join(this.files, workspacePath);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  }

  get tenant(): string {
    return join(this.root, 'acme', 'alice');
  }

  get files(): string {
    return join(this.tenant, 'files');
  }

  /** Names left in the tenant's own folders: there should be none when nothing is under way. */
  leftovers(): string[] {
    return ['staging', 'committed'].flatMap((folder) => readdirSync(join(this.tenant, folder)));
  }

  /** All entries below `files`, sorted. */
  tree(): string[] {
    return readdirSync(this.files, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(this.files, join(entry.parentPath ?? entry.path, entry.name)))
      .sort();
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export function bytesOf(text: string): Readable {
  return Readable.from([Buffer.from(text)]);
}

/** Publishes texts by their paths as one batch. */
export async function publish(
  workspace: Workspace,
  texts: Readonly<Record<string, string>>,
  batchId = 'batch-1',
): Promise<readonly SavedFile[]> {
  const batch: PublishBatch = await workspace.publish(batchId);
  try {
    for (const [path, text] of Object.entries(texts)) await batch.add(path, bytesOf(text));
    return await batch.commit();
  } finally {
    await batch.abort();
  }
}

export async function read(workspace: Workspace, path: string): Promise<string> {
  const file = await workspace.open(path);
  const chunks: Buffer[] = [];
  for await (const chunk of file.stream() as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export async function listed(workspace: Workspace, prefix?: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const file of workspace.list(prefix)) paths.push(file.path);
  return paths.sort();
}

/** Numbers of open descriptors of this process. */
export function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}
