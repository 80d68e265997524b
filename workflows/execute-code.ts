import { proxyActivities, setCurrentDetails, uuid4 } from '@temporalio/workflow';
import type { Activities } from '../activities';
import type { ExecutionRequest, ExecutionResult } from '../src/contract';
import { executeCodeOptions } from './activity-options';
import { outcomeTable } from './outcome-table';

/**
 * Runs one request and returns what its program left behind.
 *
 * Fails with an ActivityFailure whose cause is an ApplicationFailure of a type in `FAILURES`. Cancelling the workflow kills
 * the program; the workflow is closed when its sandbox is gone.
 */
export async function executeCode(request: ExecutionRequest): Promise<ExecutionResult> {
  const activities = proxyActivities<Activities>(executeCodeOptions(request ?? {}));
  const result = await activities.executeCode({ ...request, executionId: request?.executionId ?? uuid4() });
  setCurrentDetails(outcomeTable(result));
  return result;
}
