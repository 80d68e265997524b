import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities';
import type { ExecutionRequest, ExecutionResult } from '../../src/contract';
import { executeOnHosts } from '../../workflows';

export { executeCode } from '../../workflows';

/** Gives the activity less time than its program needs, and a retry policy of its own. */
export async function shortAttempt(
  request: ExecutionRequest,
  startToCloseMs: number,
  taskQueue: string,
  maximumAttempts = 1,
): Promise<ExecutionResult> {
  const { executeCode } = proxyActivities<Activities>({
    taskQueue,
    startToCloseTimeout: startToCloseMs,
    heartbeatTimeout: '10s',
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    retry: { maximumAttempts },
  });
  return executeCode(request);
}

/** Calls the activity itself, and not as a child, from a worker of its own. */
export function ownWorkflow(request: ExecutionRequest, taskQueue: string): Promise<ExecutionResult> {
  return executeOnHosts(request, { taskQueue });
}
