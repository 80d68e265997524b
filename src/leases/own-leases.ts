import type { Lease, LeaseStore } from './lease-store';
import { livingWorkers } from './liveness';

/** The leases of this host that no other living worker has: those of this worker, and of workers that are gone. */
export function ownLeases(store: LeaseStore, workerId: string): Lease[] {
  const others = livingWorkers(store, Date.now());
  others.delete(workerId);
  return store.all().filter((lease) => lease.hostId === store.hostId && !others.has(lease.workerId));
}
