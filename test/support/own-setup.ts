import { DurableSetup } from './durable';
import type { Settings } from './test-worker';

/** Lets each test of a file open a setup of its own, whose workers have so long to stop; it is closed after the test. */
export function ownSetups(): (graceMs: number, settings?: Settings) => Promise<DurableSetup> {
  let setup: DurableSetup | undefined;
  afterEach(async () => {
    await setup?.close();
    setup = undefined;
  });
  return async (graceMs, settings = {}) => {
    setup = await DurableSetup.open({ HOURGLASS_SHUTDOWN_GRACE_MS: String(graceMs), ...settings });
    return setup;
  };
}
