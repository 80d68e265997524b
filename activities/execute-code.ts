import { z } from 'zod';
import { checkpointSchema, isSpent, PHASES, type ExecutionResult } from '../src/contract';
import { executeRequest } from '../src/execution/execute-request';
import type { Attempt, ExecutionHost } from '../src/execution/host';
import { keepRunning } from '../src/execution/keep-running';
import { logFailure } from '../src/execution/log-events';
import { waitedMs } from './attempt-facts';
import { isSetAside, type IsAwaited } from './attempt-signal';
import { beginAttempt } from './begin-attempt';
import { earlierAttempts } from './earlier-attempts';
import { toTemporalFailure } from './failures';
import { startHeartbeat, type Heartbeat } from './heartbeat';
import { phaseSeen, requireThisHost } from './this-host';

const handedOnSchema = z.object({
  origin: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  phase: z.enum(PHASES).optional().catch(undefined),
  checkpoint: checkpointSchema.optional().catch(undefined),
});

/** The activity that runs one request, with a heartbeat from its first line to its last. */
export function createExecuteCode(
  host: ExecutionHost,
  isAwaited: IsAwaited,
): (input: unknown, handedOn?: unknown) => Promise<ExecutionResult> {
  return async (input, handedOn) => {
    const begun = beginAttempt(host, host.detachOnShutdown, isAwaited);
    const { context } = begun;
    const { info } = context;
    const { progress, workflow } = begun.attempt;
    const { data: earlier } = handedOnSchema.safeParse(handedOn);
    const origin = earlier?.origin ?? begun.attempt.origin;
    const { failures, outages, isCutOff, checkpoint } = earlierAttempts(info);
    Object.assign(progress, { failures, outages });
    progress.checkpoint = checkpoint ?? earlier?.checkpoint;
    const isHandedOn = earlier?.origin !== undefined;
    const seen = phaseSeen(info) ?? earlier?.phase;
    const attempt: Attempt = { ...begun.attempt, origin, seen, isCutOff, isHandedOn };
    // What the attempt before was heard to say stays until it is known what to make of it.
    let heartbeat: Heartbeat | undefined;
    const trace = host.tracing.begin({ ...attempt, workflow, context, waitedMs: waitedMs(info) });
    progress.watch((phase) => trace.enter(phase));
    try {
      requireThisHost(info, host.owner.hostId, origin, input);
      heartbeat = startHeartbeat(context, () => progress.details(), host.heartbeatIntervalMs);
      const result = await executeRequest(input, host, attempt);
      trace.ended(result);
      return result;
    } catch (error) {
      logFailure(error, attempt);
      trace.failed(error);
      host.metrics.failed(error, attempt);
      // What Temporal itself has ended says nothing against the execution.
      if (context.cancellationSignal.aborted) progress.leave();
      if (isSetAside(context.cancellationSignal)) keepRunning(input, host, attempt, () => isAwaited(info));
      progress.fail(error);
      heartbeat?.now();
      throw toTemporalFailure(error, context.cancellationSignal, isSpent(progress));
    } finally {
      heartbeat?.stop();
    }
  };
}
