import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const LOADER = join(__dirname, 'typescript-loader.js');

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** A process that runs a TypeScript file of the tests: for what only a real process can show, such as being killed. */
export class TypeScriptProcess {
  readonly lines: string[] = [];
  private readonly child: ChildProcess;
  private readonly ended: Promise<ProcessEnd>;

  constructor(file: string, args: readonly string[], nodeOptions: readonly string[] = []) {
    this.child = spawn(process.execPath, [...nodeOptions, '-r', LOADER, file, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    this.child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    if (this.child.stdout) createInterface(this.child.stdout).on('line', (line) => this.lines.push(line));
    this.ended = once(this.child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      stderr,
    }));
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  /** Resolves when the process has ended and all its lines are in. */
  end(): Promise<ProcessEnd> {
    return this.ended;
  }

  /** Resolves when the process has printed this many lines, or has ended. */
  async printed(count: number): Promise<void> {
    while (this.lines.length < count && this.child.exitCode === null && this.child.signalCode === null) {
      await Promise.race([once(this.child.stdout ?? this.child, 'data'), this.ended]);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.child.kill(signal);
  }
}
