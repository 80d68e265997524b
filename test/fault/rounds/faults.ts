import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fuzz } from '../../support/random';
import type { Executions } from './executions';
import type { RestartableServer } from '../../support/restartable-server';
import type { StartObserver } from '../../support/start-observer';
import type { Host } from './world';

/** What faults happen to. */
export interface World {
  readonly fuzz: Fuzz;
  readonly hosts: readonly Host[];
  readonly server: RestartableServer;
  readonly executions: Executions;
  readonly observer: StartObserver;
}

/** Where docker's own packages and ours note the engine's process. */
const ENGINE_PID_FILE = '/var/run/docker.pid';

const seconds = ({ random }: Fuzz, most: number): Promise<void> => delay(random(1_000 * most));

async function restart(host: Host, signal: NodeJS.Signals, fuzz: Fuzz): Promise<void> {
  host.signal(signal);
  await host.end();
  await seconds(fuzz, 12);
  await host.start();
}

async function freeze(fuzz: Fuzz, signal: (signal: NodeJS.Signals) => void): Promise<void> {
  signal('SIGSTOP');
  try {
    await seconds(fuzz, 20);
  } finally {
    signal('SIGCONT');
  }
}

/** Each resolves when all is as before. */
export const FAULTS = {
  'worker killed': ({ fuzz, hosts }) => restart(fuzz.pick(hosts), 'SIGKILL', fuzz),
  'worker shut down': ({ fuzz, hosts }) => restart(fuzz.pick(hosts), 'SIGTERM', fuzz),
  'all workers killed': async ({ fuzz, hosts }) => {
    await Promise.all(hosts.map((host) => restart(host, 'SIGKILL', fuzz)));
  },
  'worker frozen': async ({ fuzz, hosts }) => {
    const host = fuzz.pick(hosts);
    await freeze(fuzz, (signal) => host.signal(signal));
  },
  'engine frozen': ({ fuzz }) => {
    const pid = Number(readFileSync(ENGINE_PID_FILE, 'utf8'));
    return freeze(fuzz, (signal) => process.kill(pid, signal));
  },
  'streams to the engine cut': async ({ fuzz, hosts }) => {
    const { proxy } = fuzz.pick(hosts);
    await proxy.stop();
    await proxy.start();
  },
  'engine out of reach': async ({ fuzz, hosts }) => {
    const { proxy } = fuzz.pick(hosts);
    await proxy.stop();
    await seconds(fuzz, 20);
    await proxy.start();
  },
  'sandbox killed': ({ executions }) => executions.killSandbox(),
  'server restarted': async ({ fuzz, server }) => {
    await server.stop(fuzz.pick(['SIGTERM', 'SIGKILL']));
    await seconds(fuzz, 15);
    await server.start();
  },
  'activity paused': async ({ fuzz, executions }) => {
    const unpause = await executions.pauseOne();
    await seconds(fuzz, 15);
    await unpause();
  },
  'activity reset': ({ executions }) => executions.resetOne(),
  'execution cancelled': ({ executions }) => executions.endOne('cancel'),
  'execution terminated': ({ executions }) => executions.endOne('terminate'),
} as const satisfies Record<string, (world: World) => Promise<void>>;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];
