import type { SessionActivities } from '../src/contract';
import type { Attempt } from '../src/execution/host';
import { logFailure } from '../src/execution/log-events';
import { callSession, closeSession } from '../src/sessions/call-session';
import type { SessionHost } from '../src/sessions/host';
import { openSession } from '../src/sessions/open-session';
import type { IsAwaited } from './attempt-signal';
import { beginAttempt } from './begin-attempt';
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
    const goesOn = host.detachOnShutdown && host.sessionsGoOn;
    const { context, attempt } = beginAttempt(host, goesOn, isAwaited);
    const heartbeat = startHeartbeat(context, () => attempt.progress.details(), host.heartbeatIntervalMs);
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
