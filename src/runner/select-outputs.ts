import { describePathFault, isGlob, splitOutputPattern, type OutputFile, type OutputRoot } from '../contract';
import { Glob, GlobBudget, GlobTooCostly } from './glob';
import type { ListedFile, ListedOther } from './program';
import { UnsavedMatches } from './unsaved-matches';

/** Steps of comparison for all entries of one request: some tenths of a second at worst. */
const SELECTION_STEPS = 50_000_000;
const WILDCARD = /[*?[{]/;

/** One file to fetch and where it goes. */
export interface SelectedOutput {
  readonly root: OutputRoot;
  /** Relative to the root. */
  readonly path: string;
  /** As people write it: relative to /sandbox, or below /tmp/. */
  readonly sandboxPath: string;
  readonly workspacePath: string;
}

export interface Selection {
  readonly outputs: readonly SelectedOutput[];
  readonly warnings: readonly string[];
}

/** What lies below one root, as the guest claims it. */
export interface ListedRoot {
  readonly files: readonly ListedFile[];
  readonly others: readonly ListedOther[];
}

export type Listings = Readonly<Partial<Record<OutputRoot, ListedRoot>>>;

/** Roots whose files must be listed to resolve these entries: those of globs; a path is fetched without. */
export function rootsOf(entries: readonly OutputFile[]): OutputRoot[] {
  const patterns = entries.map((entry) => splitOutputPattern(entry.sandboxPath));
  return [...new Set(patterns.filter(({ pattern }) => isGlob(pattern)).map(({ root }) => root))];
}

/**
 * Which files the request's `outputFiles` mean, and where each goes in the workspace.
 *
 * A path goes to `workspacePath`, or to the same relative path; a `workspacePath` that ends with "/" is the folder it goes
 * to. Files of a glob go to their relative path; with a `workspacePath`, to that folder by what follows the glob's fixed
 * beginning (`out/*.csv` into `reports`: `reports/a.csv`). For globs see `Glob`; a file that bears the very name is meant
 * also where that looks like a glob. Of two files with one destination the first counts.
 *
 * Listings are claims of a guest: paths that are not canonical are left out. Whether the file of a plain path exists shows
 * when it is fetched. What a glob means and cannot be saved is one warning.
 */
export function selectOutputs(entries: readonly OutputFile[], listings: Listings): Selection {
  const selector = new Selector(listings, entries);
  for (const entry of entries) selector.select(entry);
  return selector;
}

class Selector implements Selection {
  readonly #warnings = new Set<string>();
  readonly #unsaved = new UnsavedMatches();
  readonly #budget = new GlobBudget(SELECTION_STEPS);
  readonly #taken = new Map<string, SelectedOutput>();
  /** What entries name by path; why it is not saved shows when it is fetched. */
  readonly #named: ReadonlySet<string>;

  constructor(
    private readonly listings: Listings,
    entries: readonly OutputFile[],
  ) {
    const places = entries.map(({ sandboxPath }) => splitOutputPattern(sandboxPath));
    this.#named = new Set(places.map(({ root, pattern }) => sandboxPathOf(root, pattern)));
  }

  get outputs(): readonly SelectedOutput[] {
    return [...this.#taken.values()];
  }

  get warnings(): readonly string[] {
    return [...this.#warnings, ...this.#unsaved.describe()];
  }

  select(entry: OutputFile): void {
    const { root, pattern } = splitOutputPattern(entry.sandboxPath);
    try {
      const { files, others } = this.listings[root] ?? NOTHING;
      const glob = globOf(pattern, files);
      if (glob === undefined) return this.#take(root, pattern, destination(entry.workspacePath, pattern, undefined));
      const meant = files.map(({ path }) => path).filter((path) => glob.matches(path, this.#budget));
      const unsaved = this.#noteUnsaved(glob, root, others);
      if (meant.length + unsaved === 0) this.#warnings.add(`Output file not found: ${entry.sandboxPath}`);
      const base = fixedBeginning(pattern);
      for (const path of this.#savable(root, meant))
        this.#take(root, path, destination(entry.workspacePath, path, base));
    } catch (error) {
      if (!(error instanceof GlobTooCostly)) throw error;
      this.#warnings.add(`Output files of ${entry.sandboxPath} are not saved: ${error.message}`);
    }
  }

  /** Paths in order; those that no workspace can hold are noted and left out. */
  #savable(root: OutputRoot, paths: readonly string[]): string[] {
    const good = new Set<string>();
    for (const path of paths) {
      const fault = describePathFault(path);
      if (fault === undefined) good.add(path);
      else this.#unsaved.add(sandboxPathOf(root, path), { fault });
    }
    return [...good].sort();
  }

  /** How many of the entries that are no files a glob means; those that are named besides are not noted. */
  #noteUnsaved(glob: Glob, root: OutputRoot, others: readonly ListedOther[]): number {
    const matching = others.filter(({ path }) => glob.matches(path, this.#budget));
    for (const { path, kind } of matching) {
      const sandboxPath = sandboxPathOf(root, path);
      if (!this.#named.has(sandboxPath)) this.#unsaved.add(sandboxPath, { kind });
    }
    return matching.length;
  }

  #take(root: OutputRoot, path: string, workspacePath: string): void {
    const sandboxPath = sandboxPathOf(root, path);
    const earlier = this.#taken.get(workspacePath);
    if (earlier === undefined) {
      this.#taken.set(workspacePath, { root, path, sandboxPath, workspacePath });
    } else if (earlier.sandboxPath !== sandboxPath) {
      this.#warnings.add(
        `Output file ${sandboxPath} is not saved: ${earlier.sandboxPath} goes to ${workspacePath}, too`,
      );
    }
  }
}

const NOTHING: ListedRoot = { files: [], others: [] };

function sandboxPathOf(root: OutputRoot, path: string): string {
  return root === 'tmp' ? `/tmp/${path}` : path;
}

/** Undefined where one file is meant. */
function globOf(pattern: string, files: readonly ListedFile[]): Glob | undefined {
  if (!isGlob(pattern) || files.some((file) => file.path === pattern)) return undefined;
  const glob = new Glob(pattern);
  return glob.isPattern ? glob : undefined;
}

/** Folders before the first wildcard, with their slashes: `out/` of `out/*.csv`. */
function fixedBeginning(pattern: string): string {
  const segments = pattern.split('/');
  const first = segments.findIndex((segment) => WILDCARD.test(segment));
  return segments
    .slice(0, first)
    .map((segment) => `${segment}/`)
    .join('');
}

function destination(workspacePath: string | undefined, path: string, base: string | undefined): string {
  if (workspacePath === undefined) return path;
  if (base !== undefined) return `${workspacePath.replace(/\/$/, '')}/${path.slice(base.length)}`;
  return workspacePath.endsWith('/') ? workspacePath + path.slice(path.lastIndexOf('/') + 1) : workspacePath;
}
