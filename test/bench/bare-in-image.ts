import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';

/** Starts a process for each line on stdin, waits for its end, and prints what it took, in ms. */
const TIMER = `
import subprocess, sys, time
for line in sys.stdin:
    start = time.perf_counter()
    subprocess.run(["python3", "-c", line.strip()], check=True)
    print((time.perf_counter() - start) * 1000, flush=True)
`;

/** Bare Python processes with the packages of the image, without limits, timed where they run. */
export class BareInImage {
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  constructor(image: string) {
    const args = ['run', '--rm', '--interactive', '--network=none', '--entrypoint=python3', image, '-c', TIMER];
    this.#child = spawn('docker', args, { stdio: ['pipe', 'pipe', 'inherit'] });
    if (!this.#child.stdout) throw new Error('the bare processes have no output');
    this.#lines = createInterface(this.#child.stdout);
  }

  /** Runs one line of Python as a process of its own; what it took, in ms. */
  async run(code: string): Promise<number> {
    const answer = once(this.#lines, 'line') as Promise<[string]>;
    this.#child.stdin?.write(`${code}\n`);
    return Number((await answer)[0]);
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    if (this.#child.exitCode === null) await once(this.#child, 'close');
  }
}
