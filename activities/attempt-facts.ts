import { createHash } from 'node:crypto';
import type { Info } from '@temporalio/activity';

/** Stable over the attempts of an activity whose caller named no id. */
export function executionIdOf(info: Info): string {
  const { namespace, workflowExecution, activityId } = info;
  const key = JSON.stringify([namespace, workflowExecution, activityId]);
  return `activity-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
}

/** What asked for an execution: an activity of a workflow, or the one that hands it on to the host of an earlier attempt. */
export function originOf({ namespace, workflowExecution, activityId }: Info): string {
  const key = JSON.stringify([namespace, workflowExecution, activityId]);
  return createHash('sha256').update(key).digest('hex');
}

/** Whether there was an attempt before this one: after a reset they are counted anew, and what was heard of the last one stays. */
export function isLater({ attempt, heartbeatDetails }: Info): boolean {
  return attempt > 1 || heartbeatDetails !== undefined;
}

/** From the scheduling of this attempt to its start; the clocks of server and worker may differ a little. */
export function waitedMs({ currentAttemptScheduledTimestampMs }: Info): number {
  return Math.max(0, Date.now() - currentAttemptScheduledTimestampMs);
}
