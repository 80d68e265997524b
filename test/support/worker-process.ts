import { loadConfig } from '../../src/config';
import { onShutdownSignal } from '../../src/shutdown';
import { createLog } from '../../src/telemetry/log';
import { installTemporalRuntime } from '../../src/telemetry/temporal-runtime';
import { createWorker } from '../../src/worker';
import { workerOptions } from './worker-options';

/** A worker as a process of its own: settings as JSON in its first argument; prints `ready` when it polls. */
async function main(): Promise<void> {
  const env = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>;
  const log = createLog({ level: 'info', format: 'json' });
  const config = loadConfig({ env });
  installTemporalRuntime(log, config.observe);
  const worker = await createWorker(config, { log, ...(await workerOptions()) });
  onShutdownSignal({ stop: () => worker.shutdown(), log });
  process.stdout.write('ready\n');
  await worker.run();
  process.exit(0);
}

void main();
