import type { Info } from '@temporalio/activity';
import type { NativeConnection } from '@temporalio/worker';

const ASK_MS = 2_000;
/** Of Temporal's `WorkflowExecutionStatus`. */
const RUNNING = 1;
/** Of gRPC. */
const NOT_FOUND = 5;

/**
 * Whether the server still waits for an activity: its workflow runs, and has it among those that are pending. True where
 * the server cannot be asked. Never rejects.
 */
export async function isAwaited(
  connection: NativeConnection,
  namespace: string,
  { activityId, workflowExecution: execution }: Info,
): Promise<boolean> {
  try {
    const described = await connection.withDeadline(Date.now() + ASK_MS, () =>
      connection.workflowService.describeWorkflowExecution({ namespace, execution }),
    );
    // A workflow that was terminated keeps its list as it was.
    const isOpen = Number(described.workflowExecutionInfo?.status) === RUNNING;
    return isOpen && described.pendingActivities.some((pending) => pending.activityId === activityId);
  } catch (error) {
    return (error as { code?: unknown }).code !== NOT_FOUND;
  }
}
