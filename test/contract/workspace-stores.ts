import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Tenant } from '../../src/contract';
import { createDiskWorkspaceStore } from '../../src/workspace/disk-store';
import type { Workspace, WorkspaceStore } from '../../src/workspace/workspace';

export const ALICE: Tenant = { workspaceId: 'acme', userId: 'alice' };
export const QUOTA_BYTES = 1_000_000;
export const MAX_FILE_BYTES = 400_000;

export interface StoreUnderTest {
  readonly store: WorkspaceStore;
  remove(): Promise<void>;
}

/** Every store passes the same suite; a new one is a new row. */
export const STORES: Record<string, () => Promise<StoreUnderTest>> = {
  disk: async () => {
    const dir = mkdtempSync(join(tmpdir(), 'hourglass-contract-'));
    const store = createDiskWorkspaceStore({ dir, quotaBytes: QUOTA_BYTES, maxFileBytes: MAX_FILE_BYTES });
    return { store, remove: async () => rmSync(dir, { recursive: true, force: true }) };
  },
};

export function content(text: string | Buffer): Readable {
  return Readable.from([Buffer.from(text)]);
}

export async function publish(workspace: Workspace, batchId: string, texts: Record<string, string>): Promise<void> {
  const batch = await workspace.publish(batchId);
  for (const [path, text] of Object.entries(texts)) await batch.add(path, content(text));
  await batch.commit();
}

export async function read(workspace: Workspace, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of (await workspace.open(path)).stream() as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export async function list(workspace: Workspace, prefix?: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const file of workspace.list(prefix)) paths.push(file.path);
  return paths.sort();
}
