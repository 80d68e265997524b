import type { ExecutionRequest, ExecutionResult } from '../../src/contract';
import { eventually } from '../support/eventually';
import { openTestHost, type TestHost } from '../support/host';

/** A host whose next run of a kind finds a warm sandbox, and nothing else going on. */
export class WarmHost {
  private constructor(readonly test: TestHost) {}

  static async open(env: Record<string, string> = {}): Promise<WarmHost> {
    const host = new WarmHost(await openTestHost({ HOURGLASS_PREWARM: 'none', HOURGLASS_WARM_PER_KEY: '1', ...env }));
    await host.quiet();
    return host;
  }

  /** Resolves when nothing boots, is removed or runs; `held` sandboxes of sessions aside. */
  async quiet(warm = 0, held = 0): Promise<void> {
    await eventually(
      () => this.test.host.pool.stats().slots,
      (slots) => slots.warm >= warm && slots.starting + slots.leased + slots.retiring + slots.resetting === held,
    );
  }

  /** Runs a request that has to end well. */
  async run(request: ExecutionRequest): Promise<ExecutionResult> {
    const result = await this.test.run(request);
    if (!result.success) throw new Error(`a program of the benchmark failed: ${JSON.stringify(result.error)}`);
    return result;
  }

  /** As `run`; its sandbox must have been warm. */
  async runWarm(request: ExecutionRequest): Promise<void> {
    const { metadata } = await this.run(request);
    if (metadata.startKind !== 'warm') throw new Error(`a run that was to start warm started ${metadata.startKind}`);
  }

  close(): Promise<void> {
    return this.test.close();
  }
}
