import * as fs from 'node:fs';
import { basename, join } from 'node:path';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = fs.constants;
const DIRECTORY_MODE = 0o755;

/** How a name below an open directory is reached: by its descriptor, or by a path that is checked after opening. */
export type Lookup = 'descriptor' | 'checked-path';

/** Linux names an open directory as /proc/self/fd/N; elsewhere real paths are checked, which is for development. */
export const PLATFORM_LOOKUP: Lookup = fs.existsSync('/proc/self/fd') ? 'descriptor' : 'checked-path';

function sameName(one: string, other: string): boolean {
  return one.normalize('NFC').toLowerCase() === other.normalize('NFC').toLowerCase();
}

/**
 * A directory that is open. Names below it are resolved from its descriptor, so that what was checked is what is used,
 * whatever happens to the path meanwhile. No link is followed.
 *
 * Lookups are synchronous: they take a few microseconds, the thread pool a few hundred. Errors are those of Node.
 */
export class Directory {
  private closed = false;

  private constructor(
    readonly fd: number,
    private readonly path: string,
    private readonly lookup: Lookup,
  ) {}

  /** Opens a directory the operator names; the only place where links on the way are followed. */
  static openRoot(path: string, lookup: Lookup = PLATFORM_LOOKUP): Directory {
    return new Directory(fs.openSync(path, O_RDONLY | O_DIRECTORY), fs.realpathSync(path), lookup);
  }

  /** Path of an entry for use by system calls while this directory is open. */
  at(name: string): string {
    return this.lookup === 'descriptor' ? `/proc/self/fd/${this.fd}/${name}` : join(this.path, name);
  }

  /** Opens a directory below; fails with ENOENT, or with ENOTDIR or ELOOP where the name is anything else. */
  open(name: string): Directory {
    const fd = fs.openSync(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    const child = new Directory(fd, join(this.path, name), this.lookup);
    if (this.lookup === 'checked-path' && !child.isWhereItSeems()) {
      child.close();
      throw Object.assign(new Error('the path changed while it was opened'), { code: 'ELOOP' });
    }
    return child;
  }

  /** Opens a directory below and makes it where it is missing; `onCreated` is told so. */
  openOrCreate(name: string, onCreated?: () => void): Directory {
    try {
      return this.open(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    const created = this.create(name);
    const directory = this.open(name);
    if (created) {
      // The process's umask does not decide who may read results.
      fs.fchmodSync(directory.fd, DIRECTORY_MODE);
      onCreated?.();
    }
    return directory;
  }

  /** Entry itself, never what a link points to; undefined where there is none. */
  stat(name: string): fs.Stats | undefined {
    return fs.lstatSync(this.at(name), { throwIfNoEntry: false });
  }

  /** Makes the entries durable. */
  sync(): Promise<void> {
    return new Promise((resolve, reject) => fs.fsync(this.fd, (error) => (error ? reject(error) : resolve())));
  }

  /** Idempotent. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    fs.closeSync(this.fd);
  }

  /** False where somebody else was first. */
  private create(name: string): boolean {
    try {
      fs.mkdirSync(this.at(name), DIRECTORY_MODE);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    }
  }

  private isWhereItSeems(): boolean {
    const real = fs.realpathSync.native(this.path);
    const found = fs.statSync(real);
    const opened = fs.fstatSync(this.fd);
    return sameName(basename(real), basename(this.path)) && found.ino === opened.ino && found.dev === opened.dev;
  }
}

/** Runs `use` with a directory and closes the directory afterwards. */
export async function using<T>(directory: Directory, use: (directory: Directory) => Promise<T> | T): Promise<T> {
  try {
    return await use(directory);
  } finally {
    directory.close();
  }
}
