import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import type { HeartbeatDetails } from '../../contract';
import { heartbeatOf } from '../../payload';
import { SESSION_TYPE } from '../executions/directory';

/** What a workflow shows of itself while it is waited for. */
export interface Sighting {
  /** `untaken`: no worker has seen what is asked of it; `queued`: its activity waits for a worker. */
  readonly stage: 'untaken' | 'queued' | 'running';
  readonly heartbeat: HeartbeatDetails | undefined;
}

/** An execution, or the session of a call; the latest run where none is named. */
export interface Watched {
  readonly workflowId: string;
  readonly runId?: string;
}

/** How workflows are watched. */
export interface Watch {
  readonly connection: Connection;
  readonly namespace: string;
  /** The one to look at next; undefined where there is none. */
  readonly which: () => Watched | undefined;
  readonly onSighting: (sighting: Sighting) => Promise<void>;
  /** Default: every half second. */
  readonly everyMs?: number;
}

type Described = Awaited<ReturnType<Connection['workflowService']['describeWorkflowExecution']>>;

const POLL_MS = 500;
const SCHEDULED = 1;
/** Waits for room on any host; calls wait for the session's own host, whose slots are enough for all of them. */
const OPENS = 'openSession';
// A description that fails once may succeed the next time; the result decides in the end.
const NOTHING: Sighting = { stage: 'running', heartbeat: undefined };

/** Looks again and again at what is waited for, until the signal aborts. Never rejects. */
export async function watch(
  { connection, namespace, which, onSighting, everyMs = POLL_MS }: Watch,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // What is short is over before anybody looks.
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
    const watched = signal.aborted ? undefined : which();
    if (watched === undefined) continue;
    // Spelled out: what is no property of its own, as a getter, does not reach the wire.
    const { workflowId, runId = '' } = watched;
    const execution = { workflowId, runId };
    const looking = connection.workflowService.describeWorkflowExecution({ namespace, execution });
    const sighting = await looking.then(sightingOf).catch(() => NOTHING);
    if (!signal.aborted) await onSighting(sighting);
  }
}

function sightingOf(described: Described): Sighting {
  const isSession = described.workflowExecutionInfo?.type?.name === SESSION_TYPE;
  const heartbeat = heartbeatOf(described.pendingActivities?.[0]?.heartbeatDetails);
  return { stage: isSession ? stageOfCall(described) : stageOfExecution(described), heartbeat };
}

function stageOfExecution({ pendingActivities, pendingWorkflowTask: task }: Described): Sighting['stage'] {
  const [activity] = pendingActivities ?? [];
  if (Number(activity?.state) === SCHEDULED) return 'queued';
  return activity || !task || task.startedTime ? 'running' : 'untaken';
}

/** A call that nobody has taken up yet is no event of the workflow. */
function stageOfCall({ pendingActivities }: Described): Sighting['stage'] {
  const [activity] = pendingActivities ?? [];
  if (!activity) return 'untaken';
  if (Number(activity.state) !== SCHEDULED) return 'running';
  return activity.activityType?.name === OPENS ? 'queued' : 'untaken';
}
