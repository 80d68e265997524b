import { loadConfig } from '../../src/config';
import { createLog } from '../../src/telemetry/log';
import { installTemporalRuntime } from '../../src/telemetry/temporal-runtime';
import { createWorker } from '../../src/worker';
import { arm, type Point } from './points';

/** A worker that is killed at the point which its second argument names. */
async function main(): Promise<void> {
  const [, , settings = '{}', point] = process.argv;
  const log = createLog({ level: 'error', format: 'json' });
  const config = loadConfig({ env: JSON.parse(settings) as Record<string, string> });
  installTemporalRuntime(log, config.observe);
  const worker = await createWorker(config, { log });
  // Not before: the check of the host at the start runs a program, too.
  arm(point as Point, () => {
    process.kill(process.pid, 'SIGKILL');
    // The signal may come a moment later: nothing is done until then.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
  await worker.run();
}

void main();
