import { nowSince } from '../clock';
import type { ListedContainer } from '../engine/container/labels';
import { inLanes } from '../lanes';
import { judge, type HostFacts, type Reason } from './judge';
import type { Lease, LeaseStore, WorkerRecord } from './lease-store';
import { isLiving } from './liveness';

/** Removals at the same time: an engine takes them one after the other anyway. */
const PARALLEL_REMOVALS = 4;

/** The containers of an engine, as far as they are asked for what is left over. */
export interface ContainerDirectory {
  /** Every container with a label of ours, running or not. */
  listContainers(): Promise<readonly ListedContainer[]>;
  /** Kills and removes; one that is gone is fine. */
  removeContainer(containerId: string): Promise<void>;
}

/** A container with a label of ours, and what is to become of it. */
export interface JudgedContainer {
  readonly containerId: string;
  readonly name: string;
  readonly reason: Reason;
}

/** What dead workers left behind on this host, and what stays. */
export interface LeftOvers {
  readonly containers: readonly JudgedContainer[];
  /** Containers that stay, with the reason. */
  readonly kept: readonly JudgedContainer[];
  /** Leases of dead workers that have ended, and that stand for nothing once `containers` are gone. */
  readonly leases: readonly Lease[];
  readonly workers: readonly WorkerRecord[];
  /** Workers of this host that live. */
  readonly living: readonly WorkerRecord[];
}

/** Whose eyes look: the process that asks is no worker, or is the worker of this id. */
export interface Onlooker {
  readonly workerId: string;
  /** Whether this process itself answers for a container. */
  readonly holds: (containerId: string) => boolean;
}

/** Finds what is left over and changes nothing. Rejects where engine or store do not answer. */
export async function findLeftOvers(
  directory: ContainerDirectory,
  store: LeaseStore,
  onlooker: Onlooker,
): Promise<LeftOvers> {
  const listed = await directory.listContainers();
  // In this order: what began to live since the list is not in it, and a lease's worker was known before its lease.
  const [leases, workers] = [store.all(), store.workers()];
  const now = Date.now();
  const living = workers.filter((worker) => worker.workerId === onlooker.workerId || isLiving(worker, now));
  const facts = factsOf(store, onlooker, leases, living);
  const judged = listed.map((container) => ({ container, verdict: judge(container, facts, now) }));
  const those = (remove: boolean): JudgedContainer[] =>
    judged
      .filter(({ verdict }) => verdict.remove === remove)
      .map(({ container, verdict }) => ({ containerId: container.id, name: container.name, reason: verdict.reason }));
  const kept = those(false);
  const remaining = new Set(kept.map(({ containerId }) => containerId));
  const isDead = ({ workerId }: { workerId: string }): boolean => !facts.living.has(workerId);
  return {
    containers: those(true),
    kept,
    leases: leases.filter((lease) => isDead(lease) && hasEnded(lease, now) && !remaining.has(lease.containerId)),
    workers: workers.filter(isDead),
    living,
  };
}

const hasEnded = ({ expiresAt, clock }: Lease, now: number): boolean => expiresAt <= nowSince(clock, now);

function factsOf(
  { hostId }: LeaseStore,
  { workerId, holds }: Onlooker,
  leases: readonly Lease[],
  living: readonly WorkerRecord[],
): HostFacts {
  return {
    hostId,
    workerId,
    living: new Set(living.map((worker) => worker.workerId)),
    leases: new Map(leases.map((lease) => [lease.containerId, lease])),
    holds,
  };
}

/** A container that could not be removed; the next one who looks finds it again. */
export interface Unremoved extends JudgedContainer {
  readonly error: unknown;
}

/**
 * Removes what was found. Resolves with the containers that could not be removed, whose leases stay.
 *
 * Rejects where the store cannot be written.
 */
export async function removeLeftOvers(
  { containers, leases, workers }: LeftOvers,
  directory: ContainerDirectory,
  store: LeaseStore,
): Promise<Unremoved[]> {
  const tried = await inLanes(containers, PARALLEL_REMOVALS, async (container): Promise<Unremoved[]> => {
    try {
      await directory.removeContainer(container.containerId);
      return [];
    } catch (error) {
      return [{ ...container, error }];
    }
  });
  const unremoved = tried.flat();
  const remaining = new Set(unremoved.map(({ containerId }) => containerId));
  const ended = leases.filter(({ containerId }) => !remaining.has(containerId));
  await inLanes(ended, PARALLEL_REMOVALS, (lease) => forget(store, lease));
  await inLanes(workers, PARALLEL_REMOVALS, ({ workerId }) => store.removeWorker(workerId));
  return unremoved;
}

/** A later attempt of the same execution may have written its own record meanwhile: that one stays. */
async function forget(store: LeaseStore, lease: Lease): Promise<void> {
  if (store.get(lease)?.containerId === lease.containerId) await store.remove(lease);
}
