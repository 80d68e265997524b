import type { ExecutionKey } from './lease-store';

/** One text for one execution: no two keys share it. */
export function keyText({ tenant, executionId, origin }: ExecutionKey): string {
  return JSON.stringify([tenant.workspaceId, tenant.userId, executionId, origin]);
}
