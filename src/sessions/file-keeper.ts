import type { Readable } from 'node:stream';
import { HourglassError, SESSION_BOUNDS, type Language, type SessionKey, type SessionOptions } from '../contract';
import type { KeepsFiles, Lease } from '../leases/lease-store';
import {
  FileFetcher,
  FileRefused,
  listTree,
  type GuestChannel,
  type Tree,
  type TreeBounds,
  type TreeFile,
} from '../runner';
import {
  OutputRefused,
  type KeptCall,
  type KeptFiles,
  type KeptIndex,
  type WorkspaceStore,
} from '../workspace/workspace';
import { keyOf } from './session-record';
import { EMPTY_TREE, KeptTrees, type FetchFile } from './kept-trees';

const MIB = 1024 * 1024;
/** What nobody has asked to be kept is kept only where it costs a call next to nothing. */
const UNASKED: TreeBounds = { entries: 1_000, bytes: 16 * MIB };
/** A sandbox's disk has no more. */
const MOST_ENTRIES = 65_536;

/** Calls that can be taken back where nobody says how many: variables of JavaScript cannot be brought back. */
const KEPT_CALLS: Readonly<Record<Language, number>> = {
  python: SESSION_BOUNDS.keepCalls,
  shell: SESSION_BOUNDS.keepCalls,
  javascript: 0,
  typescript: 0,
};

/** Which sandbox's files are kept, and how. */
export interface KeeperOptions {
  readonly generation: number;
  readonly keeps: KeepsFiles;
  readonly diskMb: number;
  /** Nobody asks later than that; in ms since 1970. */
  readonly until: number;
}

/** Where the files of a session are kept, whichever host and sandbox it has. */
export async function keptFilesOf(workspaces: WorkspaceStore, key: SessionKey): Promise<KeptFiles> {
  const workspace = await workspaces.open({ workspaceId: key.workspaceId, userId: key.userId });
  return workspace.kept(`${key.sessionId} ${key.firstRunId}`);
}

/** What the options of a session ask to be kept: what nobody says, only where the language can go back at all. */
export function keepsOf({
  language,
  keepCalls,
  onLost,
}: Pick<SessionOptions, 'language' | 'keepCalls' | 'onLost'>): KeepsFiles {
  const restore = onLost === 'restore';
  const all = restore || (keepCalls ?? 0) > 0;
  return { calls: keepCalls ?? KEPT_CALLS[language], restore, all };
}

/** Keeps the files of the session that a lease is of; undefined where they are not kept. */
export async function openKeeper(workspaces: WorkspaceStore, lease: Lease): Promise<FileKeeper | undefined> {
  const key = keyOf(lease);
  const { keeps, limits } = lease.session ?? {};
  if (key === undefined || keeps === undefined || limits === undefined) return undefined;
  if (keeps.calls === 0 && !keeps.restore) return undefined;
  const { generation } = key;
  const until = lease.resumption?.until ?? lease.expiresAt;
  return new FileKeeper(await keptFilesOf(workspaces, key), { generation, keeps, diskMb: limits.diskMb, until });
}

/** A call and the files that it has left. */
export interface KeptState {
  readonly call: number;
  readonly tree: Tree;
}

/** Keeps the files of one sandbox of a session, call by call; what is as it was costs nothing. */
export class FileKeeper {
  readonly #trees: KeptTrees;
  #index: KeptIndex | undefined;
  /** What a sandbox before has left may lie here, too. */
  #mayHoldOthers = false;

  constructor(
    private readonly kept: KeptFiles,
    private readonly options: KeeperOptions,
  ) {
    this.#trees = new KeptTrees(kept);
  }

  /**
   * Keeps what lies in /sandbox after a call. Resolves with what was in the way, where somebody has asked for it; the call is
   * not kept then. Requires: as `listFiles`.
   *
   * Rejects with HourglassError SANDBOX_LOST or PROTOCOL_ERROR.
   */
  async keep(call: number, channel: GuestChannel): Promise<string | undefined> {
    const { keeps, diskMb } = this.options;
    const bounds = keeps.all ? { entries: MOST_ENTRIES, bytes: diskMb * MIB } : UNASKED;
    const fetcher = new FileFetcher(channel);
    try {
      const tree = await listTree(channel, bounds);
      if (tree === undefined) return this.#explain('there are more of them, or larger ones, than are kept');
      await this.#note({ call, tree }, ({ path, size }) => fetcher.fetch('sandbox', path, size));
      return undefined;
    } catch (error) {
      await fetcher.settled();
      if (isOfKeeping(error)) return this.#explain(error.message);
      throw error;
    }
  }

  /** The calls whose files are kept, oldest first. Rejects with HourglassError WORKSPACE_ERROR. */
  async calls(): Promise<readonly KeptCall[]> {
    return (await this.#load()).calls;
  }

  /** The files after a call where all of them are kept. Rejects as `calls` does. */
  async state({ call, tree: digest }: KeptCall): Promise<KeptState | undefined> {
    try {
      const tree = await this.#trees.read(digest);
      return (await this.#trees.isWhole(tree)) ? { call, tree } : undefined;
    } catch (error) {
      if (error instanceof HourglassError && error.code === 'INPUT_FILE_ERROR') return undefined;
      throw error;
    }
  }

  /** The newest files of whichever sandbox of the session; none where nothing is kept. Rejects as `state` does. */
  async newest(): Promise<KeptState | undefined> {
    const newest = (await this.kept.read())?.calls.at(-1);
    return newest === undefined ? { call: 0, tree: EMPTY_TREE } : this.state(newest);
  }

  /** The bytes of a file that is kept. */
  async open({ sha256 }: TreeFile): Promise<Readable> {
    return (await this.kept.open(sha256)).stream();
  }

  /** The sandbox has these files now, and what later calls have left is forgotten. Rejects as `calls` does. */
  async goBack(state: KeptState): Promise<void> {
    await this.#note(state, nothing);
  }

  /** A new sandbox has these files from its beginning. Rejects as `calls` does. */
  async beginWith(tree: Tree): Promise<void> {
    const { generation, until } = this.options;
    this.#index = { generation, until, calls: [] };
    this.#mayHoldOthers = true;
    await this.#note({ call: 0, tree }, nothing);
  }

  /** Forgets everything. Rejects with HourglassError WORKSPACE_ERROR. */
  remove(): Promise<void> {
    return this.kept.remove();
  }

  #explain(reason: string): string | undefined {
    return this.options.keeps.all ? `Files of the session were not kept after this call: ${reason}` : undefined;
  }

  async #load(): Promise<KeptIndex> {
    if (this.#index !== undefined) return this.#index;
    const { generation, until } = this.options;
    const found = await this.kept.read();
    if (found !== undefined && found.generation > generation) {
      throw new HourglassError('WORKSPACE_ERROR', 'workspace: the session goes on in another sandbox');
    }
    if (found?.generation === generation) return (this.#index = found);
    this.#mayHoldOthers = found !== undefined;
    const calls = [{ call: 0, tree: await this.#trees.save(EMPTY_TREE, nothing) }];
    return (this.#index = { generation, until, calls });
  }

  async #note({ call, tree }: KeptState, fetch: FetchFile): Promise<void> {
    const { calls: most, restore } = this.options.keeps;
    const { calls: before, ...facts } = await this.#load();
    const digest = await this.#trees.save(tree, fetch);
    const isSame = before.at(-1)?.tree === digest;
    if (isSame && most === 0) return;
    const calls = [...before.filter((kept) => kept.call < call), { call, tree: digest }].slice(-(most + 1));
    const stays = new Set(calls.map((kept) => kept.tree));
    const gone = before.map((kept) => kept.tree).filter((old) => !stays.has(old));
    const named = gone.length > 0 || this.#mayHoldOthers ? await this.#trees.namedBy([...stays]) : undefined;
    this.#index = { ...facts, calls };
    await this.kept.write(this.#index, {
      durable: restore && !isSame,
      ...(named && { isNamed: (sha256: string) => named.has(sha256) }),
    });
    this.#mayHoldOthers = false;
    this.#trees.forget(gone);
  }
}

function nothing(file: TreeFile): never {
  throw new OutputRefused(file.path, 'is not kept any more');
}

function isOfKeeping(error: unknown): error is Error {
  if (error instanceof OutputRefused || error instanceof FileRefused) return true;
  return error instanceof HourglassError && (error.code === 'WORKSPACE_ERROR' || error.code === 'INPUT_FILE_ERROR');
}
