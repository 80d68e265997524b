import type { Tenant } from '../../contract';
import type { LeasePhase } from '../../leases/lease-store';
import { isLiving } from '../../leases/liveness';
import { hasLeaseStore, openLeaseStore } from '../../leases/lmdb-lease-store';

/** An execution that has a sandbox on this host, as its lease tells. */
export interface HostedExecution {
  readonly executionId: string;
  readonly tenant: Tenant;
  readonly sandboxId: string;
  readonly phase: LeasePhase;
  /** In ms. */
  readonly ageMs: number;
}

/** What living workers of this host run, but for sessions, which are no executions; nothing where there never was one. Rejects with LeaseStoreError. */
export async function hostedExecutions(stateDir: string): Promise<HostedExecution[]> {
  if (!hasLeaseStore(stateDir)) return [];
  const store = await openLeaseStore(stateDir);
  try {
    const now = Date.now();
    const living = new Set(store.workers().flatMap((worker) => (isLiving(worker, now) ? worker.workerId : [])));
    return store
      .all()
      .filter(({ workerId, session }) => living.has(workerId) && session === undefined)
      .map(({ executionId, tenant, sandboxName, phase, createdAt }) => {
        return { executionId, tenant, sandboxId: sandboxName, phase, ageMs: Math.max(0, now - createdAt) };
      });
  } finally {
    await store.close();
  }
}
