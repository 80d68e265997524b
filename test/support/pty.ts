import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { eventually } from './eventually';
import type { WorkerPlace } from './test-worker';

const MAIN = join(__dirname, '../../lib/src/cli/main.js');

/** A `hourglass` command on a terminal of its own, which `script` of util-linux makes. */
export class TerminalProcess {
  readonly #child: ChildProcess;
  readonly ended: Promise<number | null>;
  #text = '';
  #seen = 0;

  constructor(place: WorkerPlace, ...argv: readonly string[]) {
    const command = [process.execPath, MAIN, ...argv].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, TERM: 'xterm', SHELL: '/bin/sh', ...place.settings };
    this.#child = spawn('script', ['-qefc', command, '/dev/null'], { cwd: place.dir, env, stdio: 'pipe' });
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.#text += chunk.toString()));
    this.ended = once(this.#child, 'close').then(([exitCode]) => exitCode as number | null);
  }

  /** Everything that was shown, without what moves the cursor or colours. */
  get text(): string {
    return stripVTControlCharacters(this.#text).replaceAll('\r', '');
  }

  /** Types, as a person does or a paste. */
  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Resolves when a text is shown behind what was waited for before. */
  async shows(text: string): Promise<void> {
    await eventually(
      () => this.text.slice(this.#seen),
      (shown) => shown.includes(text),
    );
    this.#seen = this.text.indexOf(text, this.#seen) + text.length;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
