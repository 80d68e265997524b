import type { HostReport } from './contract';
import type { SandboxOwner } from './engine/engine';
import type { Drain } from './leases/drain';
import type { DrainMark, LeaseStore } from './leases/lease-store';
import { livingWorkers } from './leases/liveness';
import type { PoolStats } from './pool';

/** What a report is made of. */
export interface ReportingHost {
  readonly owner: SandboxOwner;
  readonly leases: Pick<LeaseStore, 'all' | 'workers'>;
  readonly pool: { stats(): Pick<PoolStats, 'slots'> };
  readonly memory: { readonly budgetMb: number; readonly usedMb: number };
  readonly drain: Pick<Drain, 'mark'>;
}

/** What this host holds, over all its workers that live. Throws where the store cannot be read. */
export function reportOf({ owner, leases, pool, memory, drain }: ReportingHost, now = Date.now()): HostReport {
  const living = livingWorkers(leases, now).add(owner.workerId);
  const workers = leases.workers().filter(({ workerId }) => living.has(workerId));
  const held = leases.all().filter(({ workerId }) => living.has(workerId));
  const open = held.filter(({ session }) => session !== undefined).length;
  const { mark } = drain;
  return {
    v: 1,
    hostId: owner.hostId,
    workers: workers.length,
    slots: { total: sum(workers.map(({ slots }) => slots)), used: held.length - open },
    memory: { budgetMb: memory.budgetMb, usedMb: memory.usedMb },
    sandboxes: { leased: held.length, warm: pool.stats().slots.warm },
    sessions: { open, most: sum(workers.map(({ sessions }) => sessions)) },
    ...(mark === undefined ? {} : { draining: drainingOf(mark) }),
  };
}

/** Workers of earlier versions do not say what they hold at most. */
function sum(numbers: readonly (number | undefined)[]): number {
  return numbers.reduce<number>((total, number) => total + (number ?? 0), 0);
}

function drainingOf({ since, sessionsCloseAt }: DrainMark): NonNullable<HostReport['draining']> {
  return { since: new Date(since).toISOString(), sessionsCloseAt: new Date(sessionsCloseAt).toISOString() };
}
