import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { heartbeatOf } from '../../payload';
import type { Sighting } from '../run/watch';

const POLL_MS = 500;
const SCHEDULED = 1;
/** Waits for room on any host; calls wait for the session's own host, whose slots are enough for all of them. */
const OPENS = 'openSession';

/** Looks every half second at the session that a call waits for, until the signal aborts. Never rejects. */
export async function watchCall(
  look: () => Promise<Sighting>,
  onSighting: (sighting: Sighting) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // A short call is over before anybody looks.
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await onSighting(await look());
  }
}

/** What a call of a session waits for, as its workflow shows. Never rejects. */
export async function describeCall(
  { workflowService }: Connection,
  namespace: string,
  workflowId: string,
): Promise<Sighting> {
  try {
    const described = await workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } });
    const [activity] = described.pendingActivities ?? [];
    // A call that nobody has taken up yet is no event of the workflow.
    if (!activity) return { stage: 'untaken', heartbeat: undefined };
    const heartbeat = heartbeatOf(activity.heartbeatDetails);
    if (Number(activity.state) !== SCHEDULED) return { stage: 'running', heartbeat };
    return { stage: activity.activityType?.name === OPENS ? 'queued' : 'untaken', heartbeat };
  } catch {
    // One that fails may succeed the next time; the call's answer decides in the end.
    return { stage: 'running', heartbeat: undefined };
  }
}
