import { spawnSync } from 'node:child_process';
import { loadConfig } from '../../src/config';
import { WarmPool, type LeasedSandbox } from '../../src/pool';
import { createLog } from '../../src/telemetry/log';
import { installTemporalRuntime } from '../../src/telemetry/temporal-runtime';
import { createWorker } from '../../src/worker';
import { workerOptions } from '../support/worker-options';
import { arm, type Point } from './points';

/** Who is killed at a point: this process, or the sandbox of the execution. */
export type Victim = 'worker' | 'guest';

/** In a process of its own, because the point is only over when the engine has done it. */
const KILL = `new (require('dockerode'))().getContainer(process.argv[1]).kill().catch((error) => {
  if (error.statusCode !== 404) throw error;
})`;

let containerId = '';

function killGuest(): void {
  const { status, stderr } = spawnSync(process.execPath, ['-e', KILL, containerId], { cwd: __dirname });
  if (status !== 0) throw new Error(String(stderr));
}

function killWorker(): void {
  process.kill(process.pid, 'SIGKILL');
  // The signal may come a moment later: nothing is done until then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function noteContainer(): void {
  const holder = WarmPool.prototype as { lease: (...args: unknown[]) => Promise<LeasedSandbox> };
  const original = holder.lease;
  holder.lease = async function (this: unknown, ...args) {
    const leased = await original.apply(this, args);
    containerId = leased.sandbox.containerId;
    return leased;
  };
}

/** A worker at which something is killed once, at the point which its second argument names. */
async function main(): Promise<void> {
  const [, , settings = '{}', point, victim] = process.argv;
  const log = createLog({ level: 'error', format: 'json' });
  const config = loadConfig({ env: JSON.parse(settings) as Record<string, string> });
  installTemporalRuntime(log, config.observe);
  const worker = await createWorker(config, { log, ...(await workerOptions()) });
  // Not before: the check of the host at the start runs a program, too.
  noteContainer();
  let isOver = false;
  arm(point as Point, () => {
    if (isOver) return;
    isOver = true;
    if ((victim as Victim) === 'guest') killGuest();
    else killWorker();
  });
  await worker.run();
}

void main();
