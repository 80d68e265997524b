import { closeSync, constants, fchmodSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../make-folder';

/** Lines that are remembered. */
export const MAX_LINES = 1_000;
/** A longer line is not: it was hardly typed. */
export const MAX_CHARACTERS = 2_000;

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
const OWNER_ONLY = 0o600;

/**
 * Lines that were typed at a prompt, in a file that its owner alone can read. A file that cannot be read or written costs the
 * history and nothing else.
 */
export class History {
  readonly #lines: string[];
  #written: number;

  private constructor(
    private readonly path: string,
    lines: string[],
  ) {
    this.#lines = lines;
    this.#written = lines.length;
  }

  /** The history of a file, or one that begins with it. */
  static open(path: string): History {
    return new History(path, readLines(path));
  }

  /** The newest first, as `node:readline` takes them. */
  get newestFirst(): string[] {
    return [...this.#lines].reverse();
  }

  /** Remembers a line; blank ones, long ones and the one before again are left out. */
  add(line: string): void {
    if (line.trim() === '' || line.length > MAX_CHARACTERS || line === this.#lines.at(-1)) return;
    this.#lines.push(line);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    this.#written += 1;
    attempt(() => (this.#written > 2 * MAX_LINES ? this.#rewrite() : append(this.path, `${line}\n`)));
  }

  /** The file has grown: it becomes what is remembered. */
  #rewrite(): void {
    const next = `${this.path}.${process.pid}`;
    write(next, this.#lines.map((line) => `${line}\n`).join(''), O_TRUNC);
    renameSync(next, this.path);
    this.#written = this.#lines.length;
  }
}

function readLines(path: string): string[] {
  return attempt(() => readFileSync(path, 'utf8').split('\n').filter(Boolean).slice(-MAX_LINES)) ?? [];
}

function append(path: string, text: string): void {
  makeFolder(dirname(path));
  write(path, text, O_APPEND);
}

function write(path: string, text: string, how: number): void {
  const file = openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW | how, OWNER_ONLY);
  try {
    fchmodSync(file, OWNER_ONLY);
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
