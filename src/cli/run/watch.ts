import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import type { HeartbeatDetails } from '../../contract';
import { heartbeatOf } from '../../payload';

/** What a workflow shows of itself while it runs. */
export interface Sighting {
  /** `untaken`: no worker has seen the workflow; `queued`: its activity waits for a worker. */
  readonly stage: 'untaken' | 'queued' | 'running';
  readonly heartbeat: HeartbeatDetails | undefined;
}

const POLL_MS = 500;
// A description that fails once may succeed the next time; the result decides in the end.
const NOTHING: Sighting = { stage: 'running', heartbeat: undefined };
const SCHEDULED = 1;

/** Asks every half second how an execution stands, until the signal aborts. Never rejects. */
export async function watchExecution(
  connection: Connection,
  namespace: string,
  execution: { readonly workflowId: string; readonly runId: string },
  onSighting: (sighting: Sighting) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await onSighting(await describeExecution(connection, namespace, execution));
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** How an execution stands now. Never rejects. */
export function describeExecution(
  connection: Connection,
  namespace: string,
  execution: { readonly workflowId: string; readonly runId: string },
): Promise<Sighting> {
  return describe(connection, namespace, execution).catch(() => NOTHING);
}

async function describe(
  { workflowService }: Connection,
  namespace: string,
  execution: { readonly workflowId: string; readonly runId: string },
): Promise<Sighting> {
  const described = await workflowService.describeWorkflowExecution({ namespace, execution });
  const [activity] = described.pendingActivities ?? [];
  const task = described.pendingWorkflowTask;
  const heartbeat = heartbeatOf(activity?.heartbeatDetails);
  if (Number(activity?.state) === SCHEDULED) return { stage: 'queued', heartbeat };
  return { stage: activity || !task || task.startedTime ? 'running' : 'untaken', heartbeat };
}
