import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ensureTemporalCli } from '../../infra/setup/temporal/index.js';
import { freePort } from '../../src/cli/temporal/ports';
import { answering } from './temporal';

/** A Temporal server with its database in a file: what it knew it knows again. */
export class RestartableServer {
  #child: ChildProcess | undefined;

  private constructor(
    private readonly command: readonly [string, ...string[]],
    readonly address: string,
  ) {}

  static async start(dir: string): Promise<RestartableServer> {
    const server = await ensureTemporalCli();
    if ('address' in server) throw new Error('a server of our own is needed: unset TEMPORAL_ADDRESS');
    const [port, uiPort] = [await freePort(), await freePort()];
    const args = [
      '--ip',
      '127.0.0.1',
      '--port',
      `${port}`,
      '--ui-port',
      `${uiPort}`,
      '--headless',
      '--log-level',
      'error',
    ];
    const file = ['--db-filename', join(dir, 'temporal.db')];
    const found = new RestartableServer([server.path, 'server', 'start-dev', ...args, ...file], `127.0.0.1:${port}`);
    await found.start();
    return found;
  }

  async start(): Promise<void> {
    const [program, ...args] = this.command;
    this.#child = spawn(program, args, { stdio: 'ignore' });
    await answering(this.address);
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
}
