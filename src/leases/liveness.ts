import { nowSince } from '../clock';
import type { LeaseStore, WorkerRecord } from './lease-store';

/** A worker that has not been seen for longer does not live, whatever process has its pid by now. */
export const UNSEEN_MS = 30 * 60_000;

/**
 * Whether the worker of a record lives: its process does, and it was seen. All workers of a host share one store, and
 * the store's library needs them in one pid namespace, so their pids mean the same to each of them.
 */
export function isLiving(record: WorkerRecord, now: number, hasProcess: (pid: number) => boolean = pidExists): boolean {
  // A pid that is ours by now was a predecessor's.
  return (
    record.pid !== process.pid && nowSince(record.clock, now) - record.seenAt < UNSEEN_MS && hasProcess(record.pid)
  );
}

/** Whether there is a process of this pid, be it somebody else's. */
export function pidExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Ids of the workers of a store that live. */
export function livingWorkers(store: Pick<LeaseStore, 'workers'>, now: number): Set<string> {
  const living = store.workers().filter((worker) => isLiving(worker, now));
  return new Set(living.map(({ workerId }) => workerId));
}
