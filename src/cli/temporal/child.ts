import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../make-folder';

/** How a child ended, once it has. */
export interface ChildEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly error?: Error;
}

/** A background program of ours, which writes to a log file and never outlives this process. */
export interface BackgroundChild {
  readonly pid: number | undefined;
  readonly ended: Promise<ChildEnd>;
  /** The beginning and the end of its log: where it fails, the reason may stand before a long stack. */
  log(): string;
  /** Asks it to end, and makes it after a grace time; the log of a child that ended this way is removed. Idempotent. */
  stop(): Promise<void>;
}

const GRACE_MS = 10_000;
const HEAD_BYTES = 65_536;
const TAIL_BYTES = 65_536;
// Its stdin is a pipe from us: when we are gone, however that came, the read returns and the child is told to end.
const WATCH = 'read -r _; kill -TERM "$0" 2>/dev/null';

/** Starts a program in a session of its own, so that Ctrl-C in the terminal reaches us and not it. */
export function startInBackground(file: string, args: readonly string[], logFile: string): BackgroundChild {
  makeFolder(dirname(logFile));
  const log = openSync(logFile, 'w');
  const child = spawn(file, args, { stdio: ['ignore', log, log], detached: !onWindows(), windowsHide: true });
  closeSync(log);
  return new Background(child, logFile);
}

function onWindows(): boolean {
  return process.platform === 'win32';
}

class Background implements BackgroundChild {
  readonly ended: Promise<ChildEnd>;
  readonly #child: ChildProcess;
  readonly #logFile: string;
  readonly #watcher: ChildProcess | undefined;
  #stopped: Promise<void> | undefined;

  constructor(child: ChildProcess, logFile: string) {
    this.#child = child;
    this.#logFile = logFile;
    this.#watcher = startWatcher(child.pid);
    const onExit = (): void => void child.kill('SIGTERM');
    process.once('exit', onExit);
    this.ended = endOf(child).finally(() => {
      process.removeListener('exit', onExit);
      this.#watcher?.kill('SIGKILL');
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  log(): string {
    try {
      const log = readFileSync(this.#logFile);
      const end = log.subarray(Math.max(HEAD_BYTES, log.length - TAIL_BYTES));
      return Buffer.concat([log.subarray(0, HEAD_BYTES), end]).toString('utf8');
    } catch {
      return '';
    }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #end(): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), GRACE_MS);
    await this.ended;
    clearTimeout(timer);
    rmSync(this.#logFile, { force: true });
  }
}

async function endOf(child: ChildProcess): Promise<ChildEnd> {
  try {
    const [exitCode, signal] = (await once(child, 'exit')) as [number | null, string | null];
    return { exitCode, signal };
  } catch (error) {
    return { exitCode: null, signal: null, error: error as Error };
  }
}

function startWatcher(pid: number | undefined): ChildProcess | undefined {
  if (pid === undefined || onWindows()) return undefined;
  const watcher = spawn('/bin/sh', ['-c', WATCH, String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Without a shell only kill -9 of this process leaves the child behind.
  watcher.on('error', () => undefined);
  watcher.stdin?.on('error', () => undefined);
  watcher.unref();
  (watcher.stdin as { unref?: () => void } | null)?.unref?.();
  return watcher;
}
