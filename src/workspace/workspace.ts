import type { Readable } from 'node:stream';
import type { SavedFile, Tenant } from '../contract';

/** A workspace file opened for reading: checked and read through the same descriptor. */
export interface OpenedFile {
  readonly size: number;
  /** Yields exactly `size` bytes; fails when the file shrinks meanwhile. May be called once. */
  stream(): Readable;
  /** Closes the descriptor where `stream` was not used to its end. Idempotent. */
  close(): Promise<void>;
}

/** A set of output files that appear all together or not at all, also across a crash. */
export interface PublishBatch {
  /** Takes a file in; nothing is visible yet. Rejects with HourglassError (quota, path) and keeps the other files. */
  add(
    workspacePath: string,
    content: Readable,
    options?: { maxBytes?: number; sandboxPath?: string },
  ): Promise<SavedFile>;
  /** Makes every added file visible. Journalled: a crash in the middle is rolled forward at the next open. */
  commit(): Promise<readonly SavedFile[]>;
  /** Drops what was added. Idempotent; harmless after commit. */
  abort(): Promise<void>;
}

/** The files of one tenant. Every path is resolved below the root without following a link. */
export interface Workspace {
  readonly tenant: Tenant;
  /** Rejects with HourglassError INPUT_FILE_ERROR naming the path: missing, not a regular file, link, too large. */
  open(workspacePath: string): Promise<OpenedFile>;
  /** Starts a batch. `batchId` is the execution's id: a retry replaces what an earlier attempt of it left half done. */
  publish(batchId: string): Promise<PublishBatch>;
  list(prefix?: string): AsyncIterable<{ path: string; size: number }>;
  remove(workspacePath: string): Promise<void>;
  /** Absolute path on this machine where the store has one; what the command line prints. */
  locate(workspacePath: string): string | undefined;
}

/** Opens workspaces; one store a worker. */
export interface WorkspaceStore {
  open(tenant: Tenant): Promise<Workspace>;
  /** Rolls journals forward and removes temporary files that nobody owns. Called at start and on an interval. */
  recover(): Promise<void>;
}
