import { join } from 'node:path';
import { startDevServer, type DevServer } from '../../src/cli/server';
import { findTemporalCli } from '../../src/cli/temporal/find-cli';
import { buildCli, startCommand, type CliProcess, type CommandEnd, type CommandOptions } from './cli';
import { WorkerPlace, type Settings } from './test-worker';

/** A server and a place for commands; `close` ends the workers that it has started, and removes all of it. */
export class CliSetup {
  readonly #workers: CliProcess[] = [];

  private constructor(
    private readonly server: DevServer,
    readonly place: WorkerPlace,
  ) {}

  static async open(settings: Settings = {}): Promise<CliSetup> {
    buildCli();
    const logFile = join(process.cwd(), 'lib', `temporal-test-{port}.log`);
    const server = await startDevServer({ cliPath: await findTemporalCli(), logFile, headless: true });
    return new CliSetup(server, new WorkerPlace(server.address, settings));
  }

  get address(): string {
    return this.server.address;
  }

  /** A command that runs. */
  start(argv: readonly string[], options: CommandOptions = {}): CliProcess {
    return startCommand(this.place, argv, options);
  }

  /** A command that has ended. */
  command(...argv: string[]): Promise<CommandEnd> {
    return this.start(argv).ended;
  }

  /** A worker that polls. */
  async worker(settings: Settings = {}): Promise<CliProcess> {
    const worker = this.start(['worker', '--json'], { settings });
    this.#workers.push(worker);
    await worker.printed('Worker started');
    return worker;
  }

  async close(): Promise<void> {
    for (const worker of this.#workers) worker.kill('SIGTERM');
    await Promise.all(this.#workers.map((worker) => worker.ended));
    await this.server.stop();
    this.place.remove();
  }
}
