import { executionResultSchema, HourglassError, type ExecutionResult } from '../../contract';
import { ExecutionCancelled, toExecutionError } from '../../client-errors';

/** How an execution ended. */
export interface Outcome {
  /** `succeeded`, `cancelled`, `terminated`, a code of a program's error or of a failure; else what Temporal says. */
  readonly outcome: string;
  readonly result?: ExecutionResult;
}

/** Ends of a workflow that say by themselves how the execution ended, by their numbers in Temporal's API. */
const BY_STATUS: Readonly<Record<number, string>> = {
  4: 'cancelled',
  5: 'terminated',
  6: 'continued',
  7: 'timed out',
};

const FAILED = 3;

/** The outcome where the status of the workflow alone tells it. */
export function outcomeOfStatus(status: number): Outcome | undefined {
  const outcome = BY_STATUS[status];
  return outcome === undefined ? undefined : { outcome };
}

/** The outcome of a workflow that completed or failed, by what its result resolves or rejects with. */
export async function readOutcome(
  execution: { readonly workflowId: string; readonly status: number },
  result: () => Promise<unknown>,
): Promise<Outcome> {
  try {
    const { data } = executionResultSchema.safeParse(await result());
    return data === undefined ? { outcome: 'completed' } : { outcome: data.error?.code ?? 'succeeded', result: data };
  } catch (error) {
    return { outcome: outcomeOfError(toExecutionError(execution.workflowId, error), execution.status) };
  }
}

function outcomeOfError(error: unknown, status: number): string {
  if (error instanceof HourglassError) return error.code;
  if (error instanceof ExecutionCancelled) return error.how;
  // An encrypted result, or a failure that is not ours: the server still says which of the two it is.
  return status === FAILED ? 'failed' : 'completed';
}
