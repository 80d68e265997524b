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

/** A file the workspace does not take: the program's or the caller's doing, never the platform's. */
export class OutputRefused extends Error {
  override readonly name = 'OutputRefused';

  constructor(
    /** Destination in the workspace, as it was asked for. */
    readonly path: string,
    /** What is wrong, as the end of a sentence about the file: "is larger than 10 bytes". */
    readonly reason: string,
    /** The numbers behind it, in bytes, where a bound was exceeded. */
    readonly bound?: { readonly asked?: number; readonly max: number },
  ) {
    super(`output file ${JSON.stringify(path)} ${reason}`);
  }
}

/** A set of output files that appear all together or not at all, also across a crash. */
export interface PublishBatch {
  /**
   * Takes a file in; nothing is visible yet. `maxBytes`: more is refused before it is stored.
   *
   * Rejects with OutputRefused (path, size, quota), with HourglassError WORKSPACE_ERROR when the platform fails, and
   * with the error of `content` as it is; keeps the other files and destroys `content` in each case.
   */
  add(
    workspacePath: string,
    content: Readable,
    options?: { maxBytes?: number; sandboxPath?: string },
  ): Promise<SavedFile>;
  /**
   * Makes every added file visible; durable when it resolves. Journalled: a crash in the middle is rolled forward by
   * `recover` or by the next attempt. Rejects like `add`, then without having published anything, unless a
   * destination was taken by something else in the same moment.
   */
  commit(): Promise<readonly SavedFile[]>;
  /** Drops what was added. Idempotent; harmless after commit. */
  abort(): Promise<void>;
}

/** One state of a session's files. */
export interface KeptCall {
  /** The call that has left it; 0: before the first one. */
  readonly call: number;
  /** Digest of the text that lists the files. */
  readonly tree: string;
}

/** How an index is written. */
export interface KeptWriting {
  /** Outlives the machine, too. */
  readonly durable?: boolean;
  /** Contents that it does not know are gone after that. */
  readonly isNamed?: (sha256: string) => boolean;
}

/** A content by what is in it, and a path that messages may name. */
export interface KeptContent {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** What is kept of a session's files. */
export interface KeptIndex {
  /** Counts the sandboxes of the session. */
  readonly generation: number;
  /** Nobody asks for it later than that; in ms since 1970. */
  readonly until: number;
  /** Oldest first. */
  readonly calls: readonly KeptCall[];
}

/**
 * Contents that are kept of one session, by their SHA-256 and apart from the tenant's files; they count for the quota. One
 * writer at a time.
 *
 * Everything rejects with HourglassError WORKSPACE_ERROR where the platform fails.
 */
export interface KeptFiles {
  /** Undefined where nothing is kept. */
  read(): Promise<KeptIndex | undefined>;
  /** Which of these contents are not here. */
  missing(digests: Iterable<string>): Promise<ReadonlySet<string>>;
  /** Durable. Rejects also with OutputRefused, for what is not what it was said to be or has no room, or with the error of `bytes`. */
  add(content: KeptContent, bytes: Readable): Promise<void>;
  /** Rejects also with HourglassError INPUT_FILE_ERROR where it is not here. */
  open(sha256: string): Promise<OpenedFile>;
  /** Takes the place of what was kept. */
  write(index: KeptIndex, options?: KeptWriting): Promise<void>;
  remove(): Promise<void>;
}

/** The files of one tenant. Every path is resolved below the root without following a link. */
export interface Workspace {
  readonly tenant: Tenant;
  /** Rejects with HourglassError INPUT_FILE_ERROR naming the path: missing, not a regular file, link, too large. */
  open(workspacePath: string): Promise<OpenedFile>;
  /** Starts a batch. `batchId` is the execution's id: a retry replaces what an earlier attempt of it left half done. */
  publish(batchId: string): Promise<PublishBatch>;
  /** Every regular file whose path starts with `prefix`, in no particular order. Links and special files are left out. */
  list(prefix?: string): AsyncIterable<{ path: string; size: number }>;
  /** Removes a file; resolves when there is none. Rejects with INPUT_FILE_ERROR where the path names no regular file. */
  remove(workspacePath: string): Promise<void>;
  /** What is kept of a session; `name` is no other session's of this tenant. */
  kept(name: string): KeptFiles;
  /** Absolute path on this machine where the store has one; what the command line prints. */
  locate(workspacePath: string): string | undefined;
}

/** Something that a process which is gone left unfinished in a store. */
export interface LeftUnfinished {
  /**
   * `batch`: committed, and to be published; `staging`: files of a batch that nobody will commit; `owner`: a
   * record; `session`: files of a session whose time is over.
   */
  readonly kind: 'batch' | 'staging' | 'owner' | 'session';
  /** Folders of the tenant, as `workspace/user`; undefined for an owner. */
  readonly tenant?: string;
  readonly name: string;
  /** On the disk; those of a batch are kept. */
  readonly bytes: number;
}

/** Opens workspaces; one store a worker. */
export interface WorkspaceStore {
  open(tenant: Tenant): Promise<Workspace>;
  /**
   * Rolls journals forward and removes temporary files that nobody owns. Called at start and on an interval. Resolves
   * with what processes that are gone had left; batches of living ones, which it may finish for them, are not told.
   */
  recover(): Promise<readonly LeftUnfinished[]>;
  /** What `recover` would do; changes nothing. */
  survey(): Promise<readonly LeftUnfinished[]>;
  /** Tells other processes that this one stages nothing any more. No batch may be open. */
  retire(): Promise<void>;
}
