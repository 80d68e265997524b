import type { Lease } from './lease-store';

/** Whether a record is that of the same attempt, whatever it says of how far that is. */
export function isOfAttempt(record: Lease, { containerId, workerId, attempt }: Lease): boolean {
  return record.containerId === containerId && record.workerId === workerId && record.attempt === attempt;
}
