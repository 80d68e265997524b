import type { HeartbeatDetails, Phase } from '../../contract';
import { heartbeatOf, type RawPayload } from '../../payload';

/** Where an execution stands, in one word. `waiting`: nothing of it runs. */
export const STATES = ['running', 'waiting', 'ended'] as const;

export type State = (typeof STATES)[number];

/** Where an execution that has not ended stands, as the server tells. */
export interface Standing {
  readonly state: Exclude<State, 'ended'>;
  /** The phase of what runs, or what the execution waits for. */
  readonly detail: string;
  /** Counted from 1; undefined before the first. */
  readonly attempt: number | undefined;
  readonly heartbeat: HeartbeatDetails | undefined;
}

/** What the server says about a workflow that is open, as far as we read it. */
export interface OpenWorkflow {
  readonly pendingActivities?: readonly PendingActivity[] | null;
  readonly pendingWorkflowTask?: { readonly startedTime?: object | null } | null;
}

interface PendingActivity {
  readonly state?: number | null;
  readonly attempt?: number | null;
  readonly paused?: boolean | null;
  readonly lastFailure?: { readonly applicationFailureInfo?: { readonly type?: string | null } | null } | null;
  readonly heartbeatDetails?: { readonly payloads?: readonly RawPayload[] | null } | null;
}

type Verdict = Pick<Standing, 'state' | 'detail'>;

const running = (detail: string): Verdict => ({ state: 'running', detail });
const waiting = (detail: string): Verdict => ({ state: 'waiting', detail });

/** By `queued` an activity says that it has a worker's slot and not yet its memory. */
const OF_PHASE: Readonly<Record<Phase, Verdict>> = {
  queued: waiting('for memory'),
  starting: running('starting'),
  'staging-in': running('staging-in'),
  running: running('running'),
  'staging-out': running('staging-out'),
  finishing: running('finishing'),
};

const STARTED = 2;
/** States of a pending activity by their numbers in Temporal's API, but for `STARTED`. */
const OF_STATE: Readonly<Record<number, Verdict>> = {
  1: waiting('for a worker'),
  3: running('cancelling'),
  4: waiting('paused'),
  5: running('pausing'),
};

/** Reads where an open execution stands from its first unfinished activity, or from its workflow task before that. */
export function standingOf({ pendingActivities, pendingWorkflowTask }: OpenWorkflow): Standing {
  const [activity] = pendingActivities ?? [];
  if (activity === undefined) {
    const untaken = pendingWorkflowTask !== null && pendingWorkflowTask !== undefined;
    const verdict = untaken && !pendingWorkflowTask.startedTime ? waiting('for a worker') : running('starting');
    return { ...verdict, attempt: undefined, heartbeat: undefined };
  }
  const heartbeat = heartbeatOf(activity.heartbeatDetails);
  return { ...verdictOf(activity, heartbeat), attempt: Number(activity.attempt ?? 1), heartbeat };
}

function verdictOf(
  { state, attempt, paused, lastFailure }: PendingActivity,
  heartbeat: HeartbeatDetails | undefined,
): Verdict {
  if (Number(state) === STARTED) return heartbeat === undefined ? running('starting') : OF_PHASE[heartbeat.phase];
  const verdict = OF_STATE[Number(state)] ?? running('unknown');
  if (verdict.state !== 'waiting') return verdict;
  if (paused === true) return waiting('paused');
  if (lastFailure?.applicationFailureInfo?.type === 'TENANT_LIMIT') return waiting("for its tenant's turn");
  return Number(attempt ?? 1) > 1 ? waiting(`for attempt ${attempt}`) : verdict;
}
