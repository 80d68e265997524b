import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, rmdirSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHUNK = Buffer.alloc(4096);

/** A file system of a few MB, to be filled. Requires: root on Linux. */
export class SmallDisk {
  readonly path = mkdtempSync(join(tmpdir(), 'hourglass-disk-'));

  constructor(megabytes: number) {
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', this.path);
  }

  get #filler(): string {
    return join(this.path, 'filler');
  }

  /** Leaves not a byte. */
  fill(): void {
    const file = openSync(this.#filler, 'a');
    try {
      for (;;) writeSync(file, CHUNK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  empty(): void {
    rmSync(this.#filler, { force: true });
  }

  remove(): void {
    run('umount', '--lazy', this.path);
    rmdirSync(this.path);
  }
}

function run(command: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
}
