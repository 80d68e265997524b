import type { ExecutionKey } from '../leases/lease-store';
import type { Attempt } from './host';

/** Under what an execution is remembered on this host: what asked for it is a part, so that an id used again finds nothing. */
export function executionKey({ progress, origin }: Pick<Attempt, 'progress' | 'origin'>): ExecutionKey {
  return { tenant: progress.tenant, executionId: progress.executionId, origin };
}
