import { createContainerEngine } from '../../src/engine/container';
import { loadConfig } from '../../src/config';
import { openLeaseStore } from '../../src/leases/lmdb-lease-store';
import { Reachability } from '../../src/leases/reachability';
import { Reaper } from '../../src/leases/reaper';
import { SILENT } from '../../src/telemetry/log';

/** A worker process of the host in the given folder that boots one sandbox, prints its name and waits to be killed. */
async function main(): Promise<void> {
  const [, , stateDir = '', workerId = ''] = process.argv;
  const engine = createContainerEngine(loadConfig({ env: process.env }), SILENT);
  const store = await openLeaseStore(stateDir);
  await new Reaper({
    directory: engine,
    store,
    workerId,
    holds: () => true,
    reachability: new Reachability(),
    log: SILENT,
  }).start();
  const spec = { runtime: 'shell', preload: [], memoryMb: 64, diskMb: 32, cpuCores: 1, maxPids: 64 } as const;
  const owner = { hostId: store.hostId, workerId };
  const sandbox = await engine.boot(spec, owner, new AbortController().signal);
  process.stdout.write(`${sandbox.name}\n`);
  setInterval(() => undefined, 1_000);
}

void main();
