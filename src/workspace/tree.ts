import { opendir } from 'node:fs/promises';
import { describePathFault } from '../contract';
import type { Directory } from './directory';
import { errnoOf } from './faults';
import { spellings } from './names';
import { Obstacle, openFolder, splitPath } from './walk';

const READ_AHEAD = 128;

export interface FileEntry {
  readonly path: string;
  readonly size: number;
}

/** The folder, or undefined where there is none or something else is in its place. */
function openIfThere(root: Directory, folder: string): Directory | undefined {
  try {
    return openFolder(root, folder);
  } catch (error) {
    if (error instanceof Obstacle || errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function firstSpelling(root: Directory, folder: string): string | undefined {
  return spellings(folder).find((spelling) => {
    const directory = openIfThere(root, spelling);
    directory?.close();
    return directory !== undefined;
  });
}

/**
 * Every regular file below `root` whose path starts with `prefix`, as it comes; paths that no request could name are
 * left out. One directory is open at a time, however deep the tree is.
 */
export async function* walkFiles(root: Directory, prefix = ''): AsyncGenerator<FileEntry> {
  const { folder, leaf } = splitPath(prefix);
  const start = firstSpelling(root, folder);
  const pending = start === undefined ? [] : [start];
  let namePrefix = leaf.normalize('NFC');
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    yield* filesOf(root, next, namePrefix, pending);
    namePrefix = '';
  }
}

async function* filesOf(
  root: Directory,
  folder: string,
  namePrefix: string,
  pending: string[],
): AsyncGenerator<FileEntry> {
  const directory = openIfThere(root, folder);
  if (directory === undefined) return;
  try {
    for await (const { name } of await opendir(directory.at('.'), { bufferSize: READ_AHEAD })) {
      if (!name.normalize('NFC').startsWith(namePrefix)) continue;
      const path = folder === '' ? name : `${folder}/${name}`;
      if (describePathFault(path) !== undefined) continue;
      const entry = directory.stat(name);
      if (entry?.isDirectory()) pending.push(path);
      else if (entry?.isFile()) yield { path, size: entry.size };
    }
  } finally {
    directory.close();
  }
}
