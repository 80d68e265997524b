import { setCurrentDetails } from '@temporalio/workflow';
import type { ExecutionRequest, ExecutionResult } from '../src/contract';
import { executeOnHosts } from './ask-host';
import { outcomeTable } from './outcome-table';

/**
 * Runs one request and returns what its program left behind.
 *
 * Fails with an ActivityFailure whose cause is an ApplicationFailure of a type in `FAILURES`, or with an
 * ApplicationFailure OUTCOME_UNKNOWN where the host that may have run the program does not come back. Cancelling the workflow kills
 * the program; the workflow is closed when its sandbox is gone.
 */
export async function executeCode(request: ExecutionRequest): Promise<ExecutionResult> {
  const result = await executeOnHosts(request);
  setCurrentDetails(outcomeTable(result));
  return result;
}
