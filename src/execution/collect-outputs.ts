import {
  BOUNDS,
  isGlob,
  splitOutputPattern,
  type OutputFile,
  type OutputRoot,
  type SavedFile,
  type ValidRequest,
} from '../contract';
import {
  FileFetcher,
  FileRefused,
  listFiles,
  rootsOf,
  selectOutputs,
  type CollectRoot,
  type ListedFile,
  type Listing,
  type ListedRoot,
  type Listings,
  type ProgramOutcome,
} from '../runner';
import { OutputRefused } from '../workspace/workspace';
import { jsonBytes } from './bounded-text';
import { closed } from './closed';
import type { CollectedOutputs } from './compose-result';
import type { Attempt, ExecutionHost } from './host';
import type { SandboxLease } from './sandbox-lease';
import type { OutputBatch } from './output-batch';
import { watchSandbox, type SandboxWatch } from './watch-sandbox';

/** Files a sandbox may list below one root; its disk has no more inodes. */
const MAX_LISTED = 65_536;
const UNSEEN = 'there are too many, their paths are too long, or folders nest deeper than 64 levels';
/** What a saved file says beside its two paths, as JSON. */
const SAVED_FILE_BYTES = 200;
const ABSENT = new Set(['ENOENT', 'ENOTDIR']);
const REFUSALS: Readonly<Partial<Record<string, string>>> = {
  ELOOP: 'is a symbolic link; only regular files are saved',
  EISDIR: 'is a directory; a glob such as "folder/**" saves the files in it',
  NOT_REGULAR: 'is not a regular file; only those are saved',
};

/** One file on its way from the sandbox into the workspace. */
interface Transfer {
  readonly root: CollectRoot;
  readonly path: string;
  readonly sandboxPath: string;
  readonly workspacePath: string;
  /** As the guest claims it; undefined where it has not listed the file. */
  readonly size: number | undefined;
}

export interface CollectParts {
  readonly request: ValidRequest;
  readonly outcome: ProgramOutcome;
  readonly lease: Pick<SandboxLease, 'sandbox' | 'channel'>;
  readonly batch: OutputBatch;
  readonly host: Pick<ExecutionHost, 'maxFileBytes'>;
  readonly attempt: Attempt;
  /** The sandbox is needed after that, also where the attempt is cancelled. */
  readonly staysAlive?: boolean;
}

/**
 * Takes the program's output files and figures into the batch; nothing is visible in the workspace yet.
 *
 * Missing files are warnings, files that cannot be saved are refusals. Rejects with SANDBOX_LOST, PROTOCOL_ERROR or
 * WORKSPACE_ERROR, or with the signal's reason.
 */
export async function collectOutputs(parts: CollectParts): Promise<CollectedOutputs> {
  const { request, outcome, lease, attempt, staysAlive } = parts;
  const entries = request.outputFiles ?? [];
  if (!outcome.collectable) return nothingCollected(entries);
  if (entries.length === 0 && outcome.figures.length === 0) return { savedFiles: [], warnings: [], refusals: [] };
  const watch = watchSandbox(lease, attempt.signal, { staysAlive });
  try {
    return await watch.during(new Collection(parts, watch).collect(entries));
  } finally {
    watch.stop();
  }
}

function nothingCollected(entries: readonly OutputFile[]): CollectedOutputs {
  const warnings = entries.length === 0 ? [] : ['The sandbox did not outlive its program: output files are lost'];
  return { savedFiles: [], warnings, refusals: [] };
}

class Collection {
  readonly #savedFiles: SavedFile[] = [];
  readonly #warnings: string[] = [];
  readonly #refusals: string[] = [];
  readonly #fetcher: FileFetcher;
  #room: number = BOUNDS.savedFilesBytes;

  constructor(
    private readonly parts: CollectParts,
    private readonly watch: SandboxWatch,
  ) {
    this.#fetcher = new FileFetcher(parts.lease.channel);
  }

  async collect(entries: readonly OutputFile[]): Promise<CollectedOutputs> {
    const transfers = await this.#select(entries);
    for (const transfer of transfers) await this.#transfer(transfer);
    return { savedFiles: this.#savedFiles, warnings: this.#warnings, refusals: this.#refusals };
  }

  async #select(entries: readonly OutputFile[]): Promise<Transfer[]> {
    const listings = await this.#list(entries);
    const { outputs, warnings } = selectOutputs(entries, withNamed(entries, listings));
    this.#warnings.push(...warnings);
    const sizes = new Map(
      Object.entries(listings).flatMap(([root, { files }]) => files.map(({ path, size }) => [`${root}/${path}`, size])),
    );
    const chosen = outputs.map((output) => ({ ...output, size: sizes.get(`${output.root}/${output.path}`) }));
    const taken = new Set(chosen.map(({ workspacePath }) => workspacePath));
    return this.#boundCount([...chosen, ...figureTransfers(this.parts.outcome.figures, taken)]);
  }

  async #list(entries: readonly OutputFile[]): Promise<Listings> {
    const listings: Partial<Record<OutputRoot, Listing>> = {};
    for (const root of rootsOf(entries)) {
      this.watch.expect(0);
      const listing = await listFiles(this.parts.lease.channel, root, MAX_LISTED);
      listings[root] = listing;
      if (listing.truncated)
        this.#warnings.push(`Globs saw ${listing.files.length} files of /${root} and not all: ${UNSEEN}`);
    }
    return listings;
  }

  #boundCount(transfers: Transfer[]): Transfer[] {
    const { savedFiles: max } = BOUNDS;
    if (transfers.length > max) {
      this.#refusals.push(`${transfers.length} output files were found, at most ${max} are saved`);
    }
    return transfers.slice(0, max);
  }

  async #transfer(transfer: Transfer): Promise<void> {
    const { sandboxPath, workspacePath, size = 0 } = transfer;
    const { attempt, host } = this.parts;
    attempt.signal.throwIfAborted();
    this.#room -= jsonBytes({ sandboxPath, workspacePath }) + SAVED_FILE_BYTES;
    if (this.#room < 0)
      return this.#refuse(transfer, 'is not saved: the list of saved files does not fit into a result');
    if (size > host.maxFileBytes)
      return this.#refuse(transfer, `has ${size} bytes, at most ${host.maxFileBytes} are saved`);
    try {
      const saved = await this.#save(transfer);
      this.#savedFiles.push(saved);
      attempt.progress.filesOut += 1;
      attempt.progress.bytesOut += saved.size;
    } catch (error) {
      this.#explain(transfer, error);
    }
  }

  async #save({ root, path, sandboxPath, workspacePath, size }: Transfer): Promise<SavedFile> {
    const { batch, host } = this.parts;
    this.watch.expect(size ?? host.maxFileBytes);
    const content = this.#fetcher.fetch(root, path, host.maxFileBytes);
    try {
      return await batch.add(workspacePath, content, { sandboxPath, maxBytes: host.maxFileBytes });
    } finally {
      // A file that was given up is read to its end first, or its frames would be taken for the next one's.
      await closed(content.destroy());
    }
  }

  #explain(transfer: Transfer, error: unknown): void {
    if (error instanceof FileRefused && ABSENT.has(error.code)) {
      this.#warnings.push(`Output file not found: ${transfer.sandboxPath}`);
    } else if (error instanceof FileRefused || error instanceof OutputRefused) {
      this.#refuse(
        transfer,
        error instanceof OutputRefused ? error.reason : refusalOf(error, this.parts.host.maxFileBytes),
      );
    } else {
      throw error;
    }
  }

  /** What nobody asked for by name is no error when it cannot be saved. */
  #refuse({ root, sandboxPath }: Transfer, reason: string): void {
    const sentence = `Output file ${JSON.stringify(sandboxPath)} ${reason}`;
    if (root === 'figures') this.#warnings.push(sentence);
    else this.#refusals.push(sentence);
  }
}

function refusalOf({ code }: FileRefused, maxBytes: number): string {
  if (code === 'TOO_LARGE') return `has more than ${maxBytes} bytes, the most that are saved`;
  return REFUSALS[code] ?? `cannot be read (${code})`;
}

/** What is asked for by its very name is fetched to learn why it is not among the files. */
function withNamed(entries: readonly OutputFile[], listings: Listings): Listings {
  const named = (root: OutputRoot): ListedFile[] =>
    entries
      .map(({ sandboxPath }) => splitOutputPattern(sandboxPath))
      .filter((entry) => entry.root === root && !isGlob(entry.pattern))
      .map(({ pattern }) => ({ path: pattern, size: 0 }));
  const listed = (root: OutputRoot): ListedRoot => ({
    files: [...(listings[root]?.files ?? []), ...named(root)],
    others: listings[root]?.others ?? [],
  });
  return { sandbox: listed('sandbox'), tmp: listed('tmp') };
}

/** Figures go to `figure-1.png`, …; a number whose name the program's own files take is left out. */
function figureTransfers(figures: readonly string[], taken: ReadonlySet<string>): Transfer[] {
  let number = 0;
  return figures.map((name) => {
    do number += 1;
    while (taken.has(`figure-${number}.png`));
    return { root: 'figures', path: name, sandboxPath: name, workspacePath: `figure-${number}.png`, size: undefined };
  });
}
