import { tenantOf } from '../src/contract';
import type { UncheckedRequest } from './summary';

/** What the server takes, in bytes; ids are ASCII. */
const KEY_LENGTH = 64;

/**
 * Under which key an execution waits in its task queue: the tenant's, so that a server with fairness hands out the tasks
 * of tenants in turn and nobody waits for all that somebody else has queued.
 *
 * At most 64 bytes; tenants with long ids may share a key, and are then served as one. A request that will be refused has
 * a key, too.
 */
export function fairnessKey({ workspaceId, userId }: UncheckedRequest): string {
  const text = (id: unknown): string | undefined => (typeof id === 'string' ? id : undefined);
  const tenant = tenantOf({ workspaceId: text(workspaceId), userId: text(userId) });
  return `${tenant.workspaceId}/${tenant.userId}`.replace(/[^\x21-\x7e]/g, '?').slice(0, KEY_LENGTH);
}
