import { setTimeout as delay } from 'node:timers/promises';
import type { ContainerEngine } from '../../../src/engine/container/container-engine';
import { loadHostId } from '../../../src/leases/host-id';
import { BOOTING_MS } from '../../../src/leases/judge';
import { createDiskWorkspaceStore } from '../../../src/workspace/disk-store';
import type { Host } from './world';

/** A container that an engine has made after its worker gave it up goes when it is old enough not to be one that boots. */
const SWEPT_MS = BOOTING_MS + 4 * 60_000;
const POLL_MS = 1_000;

/** A sentence for each container, record and temporary file that nobody has removed some minutes after the last execution. */
export async function leftOvers(
  hosts: readonly Host[],
  engine: Pick<ContainerEngine, 'listContainers'>,
): Promise<string[]> {
  const look = async (): Promise<string[]> => {
    const found = await Promise.all(hosts.map((host) => leftOf(host, engine)));
    return found.flat();
  };
  const deadline = Date.now() + SWEPT_MS;
  for (;;) {
    const found = await look();
    if (found.length === 0 || Date.now() > deadline) return found;
    await delay(POLL_MS);
  }
}

async function leftOf({ place }: Host, engine: Pick<ContainerEngine, 'listContainers'>): Promise<string[]> {
  const { stateDir, workspace } = place.config;
  const hostId = await loadHostId(stateDir);
  const containers = (await engine.listContainers()).filter(({ origin }) => origin?.hostId === hostId);
  const unfinished = await createDiskWorkspaceStore(workspace).survey();
  return [
    ...containers.map(({ name }) => `left over: container ${name}`),
    ...(await place.leases()).map(({ executionId, phase }) => `left over: lease of ${executionId} (${phase})`),
    ...unfinished.map((what) => `left over: ${JSON.stringify(what)}`),
  ];
}
