import type { Info } from '@temporalio/activity';
import type { NativeConnection } from '@temporalio/worker';

type WorkflowExecution = NonNullable<Info['workflowExecution']>;

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
  const pending = await pendingActivities(connection, namespace, execution);
  return pending === 'unknown' || (pending !== 'closed' && pending.includes(activityId));
}

/** Whether a workflow run goes on; true where the server cannot be asked. Never rejects. */
export async function isOpen(
  connection: NativeConnection,
  namespace: string,
  execution: WorkflowExecution,
): Promise<boolean> {
  return (await pendingActivities(connection, namespace, execution)) !== 'closed';
}

/** Ids of the activities that a workflow run waits for. */
async function pendingActivities(
  connection: NativeConnection,
  namespace: string,
  execution: WorkflowExecution | undefined,
): Promise<string[] | 'closed' | 'unknown'> {
  try {
    const described = await connection.withDeadline(Date.now() + ASK_MS, () =>
      connection.workflowService.describeWorkflowExecution({ namespace, execution }),
    );
    // A workflow that was terminated keeps its list as it was.
    const isRunning = Number(described.workflowExecutionInfo?.status) === RUNNING;
    return isRunning ? described.pendingActivities.map(({ activityId }) => activityId ?? '') : 'closed';
  } catch (error) {
    return (error as { code?: unknown }).code === NOT_FOUND ? 'closed' : 'unknown';
  }
}
