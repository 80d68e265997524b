import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EngineProxy } from '../../support/engine-proxy';
import { WorkerPlace } from '../../support/test-worker';
import type { TypeScriptProcess } from '../../support/typescript-process';
import { startWorkerProcess } from '../../support/worker-child';

/** A host: a state folder, a worker process, and its way to the engine. */
export class Host {
  readonly place: WorkerPlace;
  readonly proxy: EngineProxy;
  #worker: TypeScriptProcess | undefined;

  constructor(address: string, shared: Readonly<Record<string, string>>, dir: string) {
    mkdirSync(dir, { recursive: true });
    this.proxy = new EngineProxy(dir);
    const own = { HOURGLASS_STATE_DIR: join(dir, 'state'), DOCKER_HOST: this.proxy.dockerHost };
    this.place = new WorkerPlace(address, { ...shared, ...own, HOURGLASS_SHUTDOWN_GRACE_MS: '500' });
  }

  async start(): Promise<void> {
    if (this.#worker === undefined) await this.proxy.start();
    this.#worker = await startWorkerProcess(this.place.settings);
  }

  signal(signal: NodeJS.Signals): void {
    this.#worker?.kill(signal);
  }

  /** What the worker ended with. */
  async end(): Promise<{ code: number | null; signal: string | null } | undefined> {
    return this.#worker?.end();
  }

  /** Lines of the log of the worker that runs. */
  get log(): readonly string[] {
    return this.#worker?.lines ?? [];
  }
}
