import { describePathFault, isGlob, splitOutputPattern, type OutputFile, type OutputRoot } from '../contract';
import { Glob, GlobBudget, GlobTooCostly } from './glob';
import type { ListedFile } from './program';

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

export type Listings = Readonly<Partial<Record<OutputRoot, readonly ListedFile[]>>>;

/** Roots whose files must be listed to resolve these entries: those of globs; a path is fetched without. */
export function rootsOf(entries: readonly OutputFile[]): OutputRoot[] {
  const patterns = entries.map((entry) => splitOutputPattern(entry.sandboxPath));
  return [...new Set(patterns.filter(({ pattern }) => isGlob(pattern)).map(({ root }) => root))];
}

/** The warning for a file that was asked for and is not there. */
export function missingOutput(sandboxPath: string): string {
  return `Output file not found: ${sandboxPath}`;
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
 * when it is fetched.
 */
export function selectOutputs(entries: readonly OutputFile[], listings: Listings): Selection {
  const selector = new Selector(listings);
  for (const entry of entries) selector.select(entry);
  return selector;
}

class Selector implements Selection {
  readonly warnings: string[] = [];
  readonly #budget = new GlobBudget(SELECTION_STEPS);
  readonly #taken = new Map<string, SelectedOutput>();

  constructor(private readonly listings: Listings) {}

  get outputs(): readonly SelectedOutput[] {
    return [...this.#taken.values()];
  }

  select(entry: OutputFile): void {
    const { root, pattern } = splitOutputPattern(entry.sandboxPath);
    try {
      const { paths, base } = resolve(pattern, this.listings[root] ?? [], this.#budget);
      if (paths.length === 0) this.warnings.push(missingOutput(entry.sandboxPath));
      for (const path of paths) this.#take(root, path, destination(entry.workspacePath, path, base));
    } catch (error) {
      if (!(error instanceof GlobTooCostly)) throw error;
      this.warnings.push(`Output files of ${entry.sandboxPath} are not saved: ${error.message}`);
    }
  }

  #take(root: OutputRoot, path: string, workspacePath: string): void {
    const sandboxPath = root === 'tmp' ? `/tmp/${path}` : path;
    const earlier = this.#taken.get(workspacePath);
    if (earlier === undefined) {
      this.#taken.set(workspacePath, { root, path, sandboxPath, workspacePath });
    } else if (earlier.sandboxPath !== sandboxPath) {
      this.warnings.push(
        `Output file ${sandboxPath} is not saved: ${earlier.sandboxPath} goes to ${workspacePath}, too`,
      );
    }
  }
}

interface Resolved {
  readonly paths: readonly string[];
  /** Of a glob: its folders before the first wildcard, with their slashes. Undefined where one file is meant. */
  readonly base: string | undefined;
}

function resolve(pattern: string, files: readonly ListedFile[], budget: GlobBudget): Resolved {
  const exact: Resolved = { paths: [pattern], base: undefined };
  if (!isGlob(pattern) || files.some((file) => file.path === pattern)) return exact;
  const glob = new Glob(pattern);
  if (!glob.isPattern) return exact;
  const paths = files
    .map((file) => file.path)
    .filter((path) => glob.matches(path, budget) && describePathFault(path) === undefined);
  return { paths: [...new Set(paths)].sort(), base: fixedBeginning(pattern) };
}

/** `out/` of `out/*.csv`. */
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
