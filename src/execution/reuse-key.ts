import { HourglassError, tenantOf, type ValidRequest } from '../contract';
import type { ExecutionHost } from './host';

/**
 * Whose sandbox may serve this request again; undefined where it gets one of its own.
 *
 * Throws HourglassError POLICY_DENIED where the worker uses no sandbox twice.
 */
export function reuseKey(request: ValidRequest, { allowsReuse }: ExecutionHost): string | undefined {
  if (request.isolation !== 'tenant') return undefined;
  if (!allowsReuse) {
    throw new HourglassError('POLICY_DENIED', 'isolation is "tenant", this worker uses no sandbox twice');
  }
  const { workspaceId, userId } = tenantOf(request);
  return JSON.stringify([workspaceId, userId]);
}
