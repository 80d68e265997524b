import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadConfig, type HourglassConfig } from '../../src/config';
import type { OutputChunk } from '../../src/execution/progress';
import { createContainerEngine } from '../../src/engine/container';
import { loadHostId } from '../../src/leases/host-id';
import type { Lease } from '../../src/leases/lease-store';
import { openLeaseStore } from '../../src/leases/lmdb-lease-store';
import { createLog, SILENT } from '../../src/telemetry/log';
import { installTemporalRuntime } from '../../src/telemetry/temporal-runtime';
import { createDiskWorkspaceStore } from '../../src/workspace/disk-store';
import { createWorker, type CreateWorkerOptions, type HourglassWorker } from '../../src/worker';
import { workerOptions } from './worker-options';

/** Settings by the names of their variables. */
export type Settings = Readonly<Record<string, string>>;

/** Which engine and image tests use is the machine's business, not the test's. */
function fromEnvironment(...names: readonly string[]): Settings {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Folders, task queue and configuration of one test's workers; nothing is shared with other tests. */
export class WorkerPlace {
  readonly dir = mkdtempSync(join(tmpdir(), 'hourglass-test-'));
  readonly settings: Settings;

  constructor(address: string, settings: Settings = {}) {
    this.settings = {
      TEMPORAL_ADDRESS: address,
      HOURGLASS_TASK_QUEUE: `test-${process.pid}-${Math.random().toString(36).slice(2)}`,
      HOURGLASS_STATE_DIR: join(this.dir, 'state'),
      HOURGLASS_WORKSPACE_DIR: join(this.dir, 'workspace'),
      HOURGLASS_WARM_PER_KEY: '0',
      HOURGLASS_LOG_FORMAT: 'json',
      ...fromEnvironment('DOCKER_HOST', 'CODE_SANDBOX_IMAGE'),
      ...settings,
    };
  }

  get config(): HourglassConfig {
    return loadConfig({ env: { ...this.settings }, cwd: this.dir });
  }

  /** Puts a file into the workspace of the default tenant. */
  write(path: string, content: string | Buffer): void {
    const file = this.file(path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  /** Where a file of the default tenant's workspace is. */
  file(path: string): string {
    return join(this.dir, 'workspace', 'default', 'default', 'files', path);
  }

  /** Paths of the default tenant's files, sorted. */
  async files(): Promise<string[]> {
    const store = createDiskWorkspaceStore(this.config.workspace);
    const workspace = await store.open({ workspaceId: 'default', userId: 'default' });
    const paths: string[] = [];
    for await (const { path } of workspace.list()) paths.push(path);
    return paths.sort();
  }

  /** Names of the containers that workers of this place have made and not removed. */
  async containers(): Promise<string[]> {
    const engine = createContainerEngine(this.config, SILENT);
    try {
      const hostId = await loadHostId(this.config.stateDir);
      const listed = await engine.listContainers();
      return listed.filter(({ origin }) => origin?.hostId === hostId).map(({ name }) => name);
    } finally {
      await engine.close();
    }
  }

  /** Removes a container as somebody at the engine would. */
  async removeContainer(name: string): Promise<void> {
    const engine = createContainerEngine(this.config, SILENT);
    await engine.removeContainer(name).finally(() => engine.close());
  }

  /** The records of executions that hold a sandbox. */
  async leases(): Promise<Lease[]> {
    const store = await openLeaseStore(this.config.stateDir);
    try {
      return store.all();
    } finally {
      await store.close();
    }
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

let isQuiet = false;

/** Keeps the SDK's own log out of the tests' output, but for what went wrong inside it. */
export function quietRuntime(): void {
  if (isQuiet) return;
  isQuiet = true;
  installTemporalRuntime(createLog({ level: 'error', format: 'pretty' }));
}

/** A worker in this process, polling, with its log and live output at hand. */
export class TestWorker {
  readonly log: Record<string, unknown>[] = [];
  readonly output: OutputChunk[] = [];
  #worker: HourglassWorker | undefined;
  #running: Promise<void> | undefined;

  static async start(config: HourglassConfig, options: Partial<CreateWorkerOptions> = {}): Promise<TestWorker> {
    quietRuntime();
    const started = new TestWorker();
    const write = (line: string): void => void started.log.push(JSON.parse(line) as Record<string, unknown>);
    started.#worker = await createWorker(config, {
      log: createLog({ level: 'debug', format: 'json', write }),
      onOutput: (output) => void started.output.push(output),
      ...(await workerOptions()),
      ...options,
    });
    started.#running = started.#worker.run();
    return started;
  }

  /** Log lines with this message. */
  logged(message: string): Record<string, unknown>[] {
    return this.log.filter((line) => line.msg === message);
  }

  /** Asks for the orderly end and resolves when all is closed. */
  async stop(): Promise<void> {
    this.#worker?.shutdown();
    await this.#running;
  }
}
