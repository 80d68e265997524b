import type { Lease, WorkerRecord } from '../../../src/leases/lease-store';

/** A lease with plausible facts. */
export function lease(facts: Partial<Lease> = {}): Lease {
  return {
    v: 1,
    tenant: { workspaceId: 'default', userId: 'default' },
    executionId: 'execution-1',
    origin: 'workflow-1',
    attempt: 1,
    containerId: 'c0ffee',
    sandboxName: 'hourglass-c0ffee',
    hostId: 'host-1',
    workerId: 'worker-1',
    phase: 'leased',
    createdAt: 1_700_000_000_000,
    expiresAt: 1_700_000_060_000,
    ...facts,
  };
}

/** A worker's record with plausible facts. */
export function worker(facts: Partial<WorkerRecord> = {}): WorkerRecord {
  return { v: 1, workerId: 'worker-1', hostId: 'host-1', pid: 42, startedAt: 1, seenAt: 2, ...facts };
}
