import picomatch from 'picomatch';
import { describePathFault, isGlob, splitOutputPattern, type OutputFile, type OutputRoot } from '../contract';
import type { ListedFile } from './program';

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

/** The folder before the first segment with a glob in it: `out/` of `out/*.csv`. */
function staticFolder(pattern: string): string {
  const segments = pattern.split('/');
  const first = segments.findIndex(isGlob);
  return segments
    .slice(0, Math.max(0, first))
    .map((segment) => `${segment}/`)
    .join('');
}

function destination(entry: OutputFile, pattern: string, path: string, isPattern: boolean): string {
  const { workspacePath } = entry;
  if (workspacePath === undefined) return path;
  if (isPattern) return `${workspacePath.replace(/\/$/, '')}/${path.slice(staticFolder(pattern).length)}`;
  return workspacePath.endsWith('/') ? workspacePath + (path.split('/').pop() ?? path) : workspacePath;
}

function matches(pattern: string, files: readonly ListedFile[]): { paths: string[]; isPattern: boolean } {
  // Whether the file of a plain path exists is seen when it is fetched (FileRefused `ENOENT`).
  if (!isGlob(pattern)) return { paths: [pattern], isPattern: false };
  // A file that bears the very name is meant, also where the name looks like a glob.
  if (files.some((file) => file.path === pattern)) return { paths: [pattern], isPattern: false };
  const isMatch = picomatch(pattern, { nonegate: true });
  const good = files.filter((file) => describePathFault(file.path) === undefined && isMatch(file.path));
  return { paths: good.map((file) => file.path).sort(), isPattern: true };
}

/**
 * Which listed files the request's `outputFiles` mean, and where each goes in the workspace.
 *
 * A path goes to `workspacePath`, or to the same relative path. Files of a glob go to their relative path; with a
 * `workspacePath`, to that folder by what follows the glob's fixed beginning (`out/*.csv` into `reports`: `reports/a.csv`).
 * Globs are bash's with globstar; a leading dot is matched by a dot only. Of two files with one destination the first counts.
 */
export function selectOutputs(entries: readonly OutputFile[], listings: Listings): Selection {
  const taken = new Map<string, SelectedOutput>();
  const warnings: string[] = [];
  for (const entry of entries) {
    const { root, pattern } = splitOutputPattern(entry.sandboxPath);
    const { paths, isPattern } = matches(pattern, listings[root] ?? []);
    if (paths.length === 0) warnings.push(missingOutput(entry.sandboxPath));
    for (const path of paths) {
      const sandboxPath = root === 'tmp' ? `/tmp/${path}` : path;
      const workspacePath = destination(entry, pattern, path, isPattern);
      const earlier = taken.get(workspacePath);
      if (earlier === undefined) taken.set(workspacePath, { root, path, sandboxPath, workspacePath });
      else if (earlier.sandboxPath !== sandboxPath) {
        warnings.push(`Output file ${sandboxPath} is not saved: ${earlier.sandboxPath} goes to ${workspacePath}, too`);
      }
    }
  }
  return { outputs: [...taken.values()], warnings };
}
