import { rename } from 'node:fs/promises';
import type { Directory } from './directory';
import { errnoOf } from './faults';
import { readManifest, type ManifestFile } from './manifest';
import type { OnStep } from './steps';
import { FOLDERS, removeEntry } from './tenant-folder';
import { nameObstacle, Obstacle, openFolder, splitPath } from './walk';
import { OutputRefused } from './workspace';

/** A folder that is removed between opening and renaming is made again this many times. */
const ATTEMPTS = 10;

/** Who is told while a batch is moved. */
export interface RollForwardHooks {
  readonly onStep?: OnStep | undefined;
  /** Bytes the files take more than before; told before the batch is forgotten, so that a crash is noticed. */
  readonly onGrowth?: (bytes: number) => Promise<void>;
}

/**
 * Moves the files of a committed batch to their places and removes the batch. May be called any number of times, by
 * any process, also at the same time: what is moved already stays as it is. Returns the files whose place was taken
 * by something else after the batch had been committed.
 */
export async function rollForward(
  tenant: Directory,
  batchName: string,
  { onStep, onGrowth }: RollForwardHooks = {},
): Promise<readonly OutputRefused[]> {
  const committed = tenant.open(FOLDERS.committed);
  let batch: Directory | undefined;
  let files: Directory | undefined;
  try {
    batch = committed.open(batchName);
    files = tenant.open(FOLDERS.files);
    const manifest = await readManifest(batch);
    const mover = new Mover(batch, files, onStep);
    await mover.move(manifest.files);
    onStep?.('published');
    await onGrowth?.(mover.growth);
    await removeEntry(tenant, FOLDERS.committed, batchName);
    onStep?.('cleaned');
    return mover.refused;
  } catch (error) {
    // Nothing is removed from `committed` before all of it is in place.
    if (errnoOf(error) === 'ENOENT' && committed.stat(batchName) === undefined) return [];
    throw error;
  } finally {
    files?.close();
    batch?.close();
    committed.close();
  }
}

class Mover {
  growth = 0;
  readonly refused: OutputRefused[] = [];
  /** Folders with new entries, to be made durable before the batch is forgotten. */
  private readonly changed = new Set<string>();

  constructor(
    private readonly batch: Directory,
    private readonly files: Directory,
    private readonly onStep: OnStep | undefined,
  ) {}

  async move(files: readonly ManifestFile[]): Promise<void> {
    for (const file of files) {
      await this.moveOne(file);
      this.onStep?.('moved');
    }
    for (const folder of this.changed) await this.makeDurable(folder);
  }

  private async moveOne(file: ManifestFile): Promise<void> {
    for (let attempt = 1; this.batch.stat(file.staged) !== undefined; attempt++) {
      try {
        return await this.tryMove(file);
      } catch (error) {
        const obstacle = error instanceof Obstacle ? error : nameObstacle(error);
        if (obstacle) {
          this.refused.push(new OutputRefused(file.saved.workspacePath, obstacle.reason));
          return;
        }
        if (errnoOf(error) !== 'ENOENT' || attempt === ATTEMPTS) throw error;
      }
    }
    // Whoever moved it may have been stopped before the folders on the way were durable.
    for (let path = file.saved.workspacePath; path !== ''; path = splitPath(path).folder) {
      this.changed.add(splitPath(path).folder);
    }
  }

  private async tryMove({ staged, saved }: ManifestFile): Promise<void> {
    const { folder, leaf } = splitPath(saved.workspacePath);
    const parent = openFolder(this.files, folder, (above) => this.changed.add(above));
    try {
      const before = parent.stat(leaf);
      if (before?.isDirectory()) throw new Obstacle('is a directory in the workspace');
      await rename(this.batch.at(staged), parent.at(leaf));
      this.changed.add(folder);
      this.growth += saved.size - (before?.isFile() ? before.size : 0);
    } finally {
      parent.close();
    }
  }

  private async makeDurable(folder: string): Promise<void> {
    try {
      const directory = openFolder(this.files, folder);
      await directory.sync().finally(() => directory.close());
    } catch (error) {
      // A folder that somebody removed since then has nothing left to keep.
      if (!(error instanceof Obstacle) && errnoOf(error) !== 'ENOENT') throw error;
    }
  }
}
