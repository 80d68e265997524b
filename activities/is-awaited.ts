import type { Info } from '@temporalio/activity';
import type { NativeConnection } from '@temporalio/worker';

type WorkflowExecution = NonNullable<Info['workflowExecution']>;
/** Without a run: the latest one. */
type Asked = Partial<WorkflowExecution>;

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

/** Whether a session's workflow goes on, in whichever of its runs; true where the server cannot be asked. Never rejects. */
export async function isSessionOpen(
  connection: NativeConnection,
  namespace: string,
  { workflowId, firstRunId }: { readonly workflowId: string; readonly firstRunId: string },
): Promise<boolean> {
  const described = await describe(connection, namespace, { workflowId });
  if (described === 'closed' || described === 'unknown') return described === 'unknown';
  const info = described.workflowExecutionInfo;
  // Servers before 1.25 do not say which chain of runs it is.
  const isSame = (info?.firstRunId || firstRunId) === firstRunId;
  return isSame && Number(info?.status) === RUNNING;
}

/** Ids of the activities that a workflow run waits for. */
async function pendingActivities(
  connection: NativeConnection,
  namespace: string,
  execution: Asked | undefined,
): Promise<string[] | 'closed' | 'unknown'> {
  const described = await describe(connection, namespace, execution);
  if (described === 'closed' || described === 'unknown') return described;
  // A workflow that was terminated keeps its list as it was.
  const isRunning = Number(described.workflowExecutionInfo?.status) === RUNNING;
  return isRunning ? described.pendingActivities.map(({ activityId }) => activityId ?? '') : 'closed';
}

/** What the server says of a workflow; `closed` where it knows none, `unknown` where it cannot be asked. */
async function describe(connection: NativeConnection, namespace: string, execution: Asked | undefined) {
  try {
    return await connection.withDeadline(Date.now() + ASK_MS, () =>
      connection.workflowService.describeWorkflowExecution({ namespace, execution }),
    );
  } catch (error) {
    return (error as { code?: unknown }).code === NOT_FOUND ? 'closed' : 'unknown';
  }
}
