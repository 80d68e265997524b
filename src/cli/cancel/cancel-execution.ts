import { WorkflowNotFoundError } from '@temporalio/common';
import { within, type Ended } from '../end-each';
import { EXECUTION_TYPE, SESSION_TYPE, workflowIdOf, type DescribedExecution } from '../executions/directory';
import type { Executions } from '../executions/use-executions';

/** What became of one id. */
export type CancelStatus =
  'cancelled' | 'ended' | 'already-ended' | 'requested' | 'not-ended' | 'not-found' | 'not-ours' | 'session';

export interface Cancellation extends Ended<CancelStatus> {
  /** As it was given. */
  readonly id: string;
  readonly workflowId?: string;
  readonly runId?: string;
  readonly url?: string;
}

export interface CancelWait {
  readonly wait: boolean;
  /** In ms. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/**
 * Cancels one execution, by its workflow's id or its own, and waits until it has ended: its sandbox is gone then.
 *
 * Rejects with the signal's reason; the cancellation goes on then. Rejects where the server is gone.
 */
export async function cancelExecution(found: Executions, id: string, wait: CancelWait): Promise<Cancellation> {
  const execution = await findExecution(found, id);
  if (execution === undefined) return { id, status: 'not-found' };
  const { workflowId, runId, type } = execution;
  const url = found.urlOf(workflowId, runId);
  const known = { id, workflowId, runId, ...(url === undefined ? {} : { url }) };
  if (type === SESSION_TYPE) return { ...known, status: 'session' };
  if (type !== EXECUTION_TYPE) return { ...known, status: 'not-ours' };
  if (!execution.isOpen || !(await request(found, workflowId)))
    return { ...known, ...(await howEnded(found, execution)) };
  if (!wait.wait) return { ...known, status: 'requested' };
  return { ...known, ...(await awaitEnd(found, execution, wait)) };
}

/** The workflow of that id, else the one that the client makes for an execution of that id. */
async function findExecution({ directory }: Executions, id: string): Promise<DescribedExecution | undefined> {
  return (await directory.describe({ workflowId: id })) ?? directory.describe({ workflowId: workflowIdOf(id) });
}

/** False where it ended in the same moment. */
async function request({ client }: Executions, workflowId: string): Promise<boolean> {
  try {
    await client.cancel(workflowId);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

async function howEnded(
  { directory }: Executions,
  { workflowId, runId }: DescribedExecution,
): Promise<Pick<Cancellation, 'status' | 'outcome'>> {
  const execution = await directory.describe({ workflowId, runId });
  if (execution === undefined) return { status: 'not-found' };
  const { outcome } = await directory.outcome(execution);
  return { status: 'already-ended', outcome };
}

async function awaitEnd(
  { client, directory }: Executions,
  { workflowId, runId }: DescribedExecution,
  { timeout, signal }: CancelWait,
): Promise<Pick<Cancellation, 'status' | 'outcome'>> {
  const settled = client.result(workflowId).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  const error = await within(settled, timeout, signal);
  const execution = await directory.describe({ workflowId, runId });
  if (execution === undefined) return { status: 'ended' };
  // The wait itself failed, as it does where the server goes away.
  if (execution.isOpen && error !== undefined) throw error;
  if (execution.isOpen) return { status: 'not-ended' };
  const { outcome } = await directory.outcome(execution);
  return outcome === 'cancelled' ? { status: 'cancelled' } : { status: 'ended', outcome };
}
