import { Context } from '@temporalio/activity';
import { z } from 'zod';
import type { CallOutcome, SessionActivities } from '../src/contract';
import type { Attempt } from '../src/execution/host';
import { logFailure } from '../src/execution/log-events';
import { callSession, closeSession } from '../src/sessions/call-session';
import type { SessionHost } from '../src/sessions/host';
import { openSession } from '../src/sessions/open-session';
import { waitedMs } from './attempt-facts';
import type { IsAwaited } from './attempt-signal';
import { beginAttempt } from './begin-attempt';
import { toTemporalFailure } from './failures';
import { startLater } from './heartbeat';

type Work<T> = (input: unknown, host: SessionHost, attempt: Attempt) => Promise<T>;

const programSchema = z.object({ task: z.object({ kind: z.literal('execute') }) });

/** The activities of the sessions that one worker holds. */
export function createSessionActivities(host: SessionHost, isAwaited: IsAwaited): SessionActivities {
  const activity = <T>(work: Work<T>): ((input: unknown) => Promise<T>) => attempted(host, isAwaited, work);
  return {
    openSession: activity(openSession),
    callSession: activity(traced(callSession)),
    closeSession: activity(closeSession),
  };
}

/** With a heartbeat from the first line to the last; throws as `Activities` do. */
function attempted<T>(host: SessionHost, isAwaited: IsAwaited, work: Work<T>): (input: unknown) => Promise<T> {
  return async (input) => {
    const goesOn = host.detachOnShutdown && host.sessionsGoOn;
    const { context, attempt } = beginAttempt(host, goesOn, isAwaited);
    const heartbeat = startLater(context, () => attempt.progress.details(), host.heartbeatIntervalMs);
    try {
      return await work(input, host, attempt);
    } catch (error) {
      logFailure(error, attempt);
      host.metrics.failed(error, attempt);
      throw toTemporalFailure(error, context.cancellationSignal);
    } finally {
      heartbeat.stop();
    }
  };
}

/** With the spans of the program that a call runs; other calls have none. */
function traced(work: Work<CallOutcome>): Work<CallOutcome> {
  return async (input, host, attempt) => {
    if (!programSchema.safeParse(input).success) return work(input, host, attempt);
    const context = Context.current();
    const { workflow, progress } = attempt;
    const trace = host.tracing.begin({ ...attempt, workflow, context, waitedMs: waitedMs(context.info) });
    progress.watch((phase) => trace.enter(phase));
    try {
      const outcome = await work(input, host, attempt);
      if (outcome.kind === 'execute') trace.ended(outcome.result);
      return outcome;
    } catch (error) {
      trace.failed(error);
      throw error;
    }
  };
}
