import {
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  TimeoutFailure,
  uuid4,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Activities, HandedOn } from '../activities';
import {
  hostQueue,
  rerunsAfterLoss,
  type ExecutionRequest,
  type ExecutionResult,
  type FailureDetails,
} from '../src/contract';
import { executeCodeOptions } from './activity-options';

const HOST_LOST_AFTER_MS = 60_000;

/** Hosts that may be asked for one execution, one after the other. */
const MAX_HOSTS = 10;

/** Where the workers are that run a request. */
export interface OnHosts {
  /** Their task queue. Default: that of the workflow. */
  readonly taskQueue?: string | undefined;
}

/**
 * Runs a request on any host, as the workflow `executeCode` does, within a workflow of one's own. An attempt that finds itself on
 * another host than the one before hands back: then that host is asked for what it has, and only where it does not come back the
 * request's policy decides whether the program runs again.
 *
 * Rejects as `executeCode` fails. The program is killed with the scope in which this was called.
 */
export async function executeOnHosts(request: ExecutionRequest, where?: OnHosts): Promise<ExecutionResult> {
  const queue = where?.taskQueue ?? workflowInfo().taskQueue;
  // Both hosts have to know it by the same id.
  const asked: ExecutionRequest = { ...request, executionId: request?.executionId ?? uuid4() };
  let handedOn: HandedOn | undefined;
  for (let hosts = 1; ; hosts += 1) {
    try {
      return await run(activitiesFor(asked, { taskQueue: queue }), asked, handedOn);
    } catch (error) {
      const earlier = hosts < MAX_HOSTS ? earlierHost(error) : undefined;
      if (earlier === undefined) throw error;
      const answer = await askHost(asked, queue, earlier);
      if (answer !== 'lost') return answer;
      if (!rerunsAfterLoss(asked)) throw outcomeUnknown(earlier);
      handedOn = { checkpoint: earlier.checkpoint };
    }
  }
}

/** One payload where there is nothing to hand on: so the Temporal UI shows a request as it is. */
function run(
  activities: Activities,
  request: ExecutionRequest,
  handedOn: HandedOn | undefined,
): Promise<ExecutionResult> {
  return handedOn?.checkpoint === undefined
    ? activities.executeCode(request)
    : activities.executeCode(request, handedOn);
}

type EarlierHost = FailureDetails & { readonly hostId: string };

function activitiesFor(request: ExecutionRequest, options: Partial<ActivityOptions>): Activities {
  return proxyActivities<Activities>({ ...executeCodeOptions(request, workflowInfo().priority), ...options });
}

async function askHost(
  request: ExecutionRequest,
  queue: string,
  { hostId, origin, phase, checkpoint }: EarlierHost,
): Promise<ExecutionResult | 'lost'> {
  const { hostLostAfter } = request;
  // The request may not have been checked by anybody yet.
  const waitMs = Number.isInteger(hostLostAfter) ? Math.max(1_000, hostLostAfter ?? 0) : HOST_LOST_AFTER_MS;
  try {
    const activities = activitiesFor(request, {
      taskQueue: hostQueue(queue, hostId),
      scheduleToStartTimeout: waitMs,
    });
    return await activities.executeCode(request, { origin, phase, checkpoint });
  } catch (error) {
    if (isNotStarted(error)) return 'lost';
    throw error;
  }
}

function earlierHost(error: unknown): EarlierHost | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure) || cause.type !== 'OTHER_HOST') return undefined;
  const [details] = (cause.details ?? []) as (FailureDetails | undefined)[];
  return typeof details?.hostId === 'string' ? { ...details, hostId: details.hostId } : undefined;
}

function isNotStarted(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

function outcomeUnknown({ hostId, sandboxId, phase }: EarlierHost): ApplicationFailure {
  const message = `host ${hostId} is lost, and the program may have run there (sandbox ${sandboxId ?? 'unknown'}, last known: ${phase ?? 'unknown'})`;
  const details = { hostId, sandboxId, phase, mayHaveRun: true };
  const failure = ApplicationFailure.nonRetryable(message, 'OUTCOME_UNKNOWN', details);
  // Stacks name files of the worker's machine: nothing for a history that callers read.
  failure.stack = '';
  return failure;
}
