import type { Directory } from './directory';
import { describeKind, errnoOf } from './faults';

/** What stands in the way of a path. `reason` ends a sentence about the file that was asked for. */
export class Obstacle extends Error {
  override readonly name = 'Obstacle';

  constructor(readonly reason: string) {
    super(reason);
  }
}

/** Told the folder ('' for the root) in which a directory was made. */
export type OnCreated = (folder: string) => void;

/** Folder and name of a path that describePathFault finds good; the folder of a top-level file is ''. */
export function splitPath(path: string): { folder: string; leaf: string } {
  const end = path.lastIndexOf('/');
  return { folder: path.slice(0, Math.max(end, 0)), leaf: path.slice(end + 1) };
}

/**
 * Opens the folder ('' for the root itself) below `root`, segment by segment, without following a link; with
 * `onCreated`, makes what is missing. The caller closes it; `root` stays open.
 *
 * Throws Obstacle where a segment is no directory, and the system's error (ENOENT among them) otherwise.
 */
export function openFolder(root: Directory, folder: string, onCreated?: OnCreated): Directory {
  let current = root.open('.');
  let walked = '';
  for (const segment of folder === '' ? [] : folder.split('/')) {
    const above = walked;
    walked = walked === '' ? segment : `${walked}/${segment}`;
    try {
      const next = onCreated ? current.openOrCreate(segment, () => onCreated(above)) : current.open(segment);
      current.close();
      current = next;
    } catch (error) {
      const fault = explain(error, current, segment, walked);
      current.close();
      throw fault;
    }
  }
  return current;
}

const NOT_A_FOLDER = new Set(['ENOTDIR', 'ELOOP', 'EMLINK']);

function explain(error: unknown, parent: Directory, segment: string, walked: string): unknown {
  if (!NOT_A_FOLDER.has(errnoOf(error) ?? '')) return nameObstacle(error) ?? error;
  const kind = parent.stat(segment);
  const what = kind === undefined || kind.isDirectory() ? 'changing' : describeKind(kind);
  return new Obstacle(`lies below ${JSON.stringify(walked)}, which is ${what}`);
}

const NAME_FAULTS = new Map([
  ['ENAMETOOLONG', 'has a name that is too long for this file system'],
  ['EILSEQ', 'has a name this file system does not take'],
]);

/** The obstacle where a file system does not take a name; undefined for every other error. */
export function nameObstacle(error: unknown): Obstacle | undefined {
  const reason = NAME_FAULTS.get(errnoOf(error) ?? '');
  return reason === undefined ? undefined : new Obstacle(reason);
}
