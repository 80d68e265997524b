import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Settings, WorkerPlace } from './test-worker';

const ROOT = join(__dirname, '../..');

/** How a command ended. */
export interface CommandEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Compiles the sources where they have changed: the command line is tested as people run it. */
export function buildCli(): void {
  execFileSync(process.execPath, [join(ROOT, 'infra/tooling/build.js')], { stdio: 'ignore' });
}

/** A `hourglass` command (or another compiled script) in a process of its own. */
export class CliProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandEnd>;
  #stdout = '';
  #stderr = '';

  constructor(
    argv: readonly string[],
    options: { env: NodeJS.ProcessEnv; cwd: string; stdin?: string; script?: string },
  ) {
    const script = join(ROOT, 'lib/src/cli', options.script ?? 'main.js');
    this.child = spawn(process.execPath, [script, ...argv], { cwd: options.cwd, env: options.env, stdio: 'pipe' });
    this.child.stdin?.end(options.stdin ?? '');
    this.child.stdout?.on('data', (chunk: Buffer) => (this.#stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString()));
    this.ended = once(this.child, 'close').then(([exitCode, signal]) => ({
      exitCode: exitCode as number | null,
      signal: signal as NodeJS.Signals | null,
      stdout: this.#stdout,
      stderr: this.#stderr,
    }));
  }

  /** Resolves when the process has printed a text on stdout or stderr; rejects when it ends without. */
  async printed(text: string): Promise<void> {
    const seen = (): boolean => this.#stdout.includes(text) || this.#stderr.includes(text);
    while (!seen()) {
      const more = [this.child.stdout, this.child.stderr].map((stream) => once(stream ?? this.child, 'data'));
      const end = await Promise.race([...more.map((data) => data.then(() => undefined)), this.ended]);
      if (end !== undefined && !seen()) throw new Error(`ended without "${text}": ${JSON.stringify(end)}`);
    }
  }

  get stdout(): string {
    return this.#stdout;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

/** How a command is started beside its arguments. */
export interface CommandOptions {
  /** Beside those of its place, or in their stead. */
  readonly settings?: Settings;
  readonly stdin?: string;
}

/** A `hourglass` command in the folder of a place, with its settings. */
export function startCommand(
  place: WorkerPlace,
  argv: readonly string[],
  { settings = {}, ...options }: CommandOptions = {},
): CliProcess {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...place.settings, ...settings };
  return new CliProcess(argv, { env, cwd: place.dir, ...options });
}
