import { Context } from '@temporalio/activity';
import type { SessionActivities } from '../src/contract';
import type { Attempt } from '../src/execution/host';
import { logFailure } from '../src/execution/log-events';
import { ExecutionProgress } from '../src/execution/progress';
import { callSession, closeSession } from '../src/sessions/call-session';
import type { SessionHost } from '../src/sessions/host';
import { openSession } from '../src/sessions/open-session';
import { executionIdOf, originOf, waitedMs } from './attempt-facts';
import { attemptSignal, type IsAwaited } from './attempt-signal';
import { toTemporalFailure } from './failures';
import { startHeartbeat } from './heartbeat';

type Work<T> = (input: unknown, host: SessionHost, attempt: Attempt) => Promise<T>;

/** The activities of the sessions that one worker holds. */
export function createSessionActivities(host: SessionHost, isAwaited: IsAwaited): SessionActivities {
  const activity = <T>(work: Work<T>): ((input: unknown) => Promise<T>) => attempted(host, isAwaited, work);
  return {
    openSession: activity(openSession),
    callSession: activity(callSession),
    closeSession: activity(closeSession),
  };
}

/** With a heartbeat from the first line to the last; throws as `Activities` do. */
function attempted<T>(host: SessionHost, isAwaited: IsAwaited, work: Work<T>): (input: unknown) => Promise<T> {
  return async (input) => {
    const context = Context.current();
    const { info } = context;
    const detachOnShutdown = host.detachOnShutdown && host.sessionsGoOn;
    const signal = attemptSignal(context, { detachOnShutdown }, isAwaited);
    const progress = new ExecutionProgress(
      host.owner.hostId,
      executionIdOf(info),
      waitedMs(info),
      host.onOutput,
      info.attempt,
    );
    const workflow = info.workflowExecution;
    const log = host.log.child({ workflowId: workflow?.workflowId, attempt: info.attempt });
    const attempt: Attempt = { signal, workflow, progress, origin: originOf(info), number: info.attempt, log };
    const heartbeat = startHeartbeat(context, () => progress.details(), host.heartbeatIntervalMs);
    try {
      return await work(input, host, attempt);
    } catch (error) {
      logFailure(error, attempt);
      throw toTemporalFailure(error, context.cancellationSignal);
    } finally {
      heartbeat.stop();
    }
  };
}
