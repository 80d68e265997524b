import { describePathFault } from '../contract';
import type { Directory } from './directory';
import { asPlatformFault, errnoOf } from './faults';
import { FOLDERS } from './tenant-folder';
import { nameObstacle, Obstacle, openFolder, splitPath } from './walk';
import { OutputRefused } from './workspace';

/** Destinations of one batch, so that no file of it takes the place of another. */
export class Targets {
  private readonly paths = new Set<string>();

  /** Throws OutputRefused where the batch has a file there, above or below. */
  take(path: string): void {
    if (this.paths.has(path)) throw new OutputRefused(path, 'is saved twice');
    for (let above = splitPath(path).folder; above !== ''; above = splitPath(above).folder) {
      if (!this.paths.has(above)) continue;
      throw new OutputRefused(path, `lies below ${JSON.stringify(above)}, which is saved as a file`);
    }
    for (const other of this.paths) {
      if (!other.startsWith(`${path}/`)) continue;
      throw new OutputRefused(path, `is the folder of ${JSON.stringify(other)}, which is saved, too`);
    }
    this.paths.add(path);
  }

  giveBack(path: string): void {
    this.paths.delete(path);
  }
}

/**
 * Looks at the place a file is to have. Returns the bytes that are free again when it replaces what is there.
 *
 * Throws OutputRefused (path not allowed, a directory in its place, something else in place of a folder), or
 * HourglassError WORKSPACE_ERROR.
 */
export function checkTarget(tenant: Directory, path: string): number {
  const fault = describePathFault(path);
  if (fault !== undefined) throw new OutputRefused(path, fault);
  const { folder, leaf } = splitPath(path);
  let files: Directory | undefined;
  let parent: Directory | undefined;
  try {
    files = tenant.open(FOLDERS.files);
    parent = openFolder(files, folder);
    const before = parent.stat(leaf);
    if (before?.isDirectory()) throw new Obstacle('is a directory in the workspace');
    return before?.isFile() ? before.size : 0;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0;
    const obstacle = error instanceof Obstacle ? error : nameObstacle(error);
    throw obstacle ? new OutputRefused(path, obstacle.reason) : asPlatformFault(error, 'looking up a file', path);
  } finally {
    parent?.close();
    files?.close();
  }
}
