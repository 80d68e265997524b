import { Context } from '@temporalio/activity';
import { z } from 'zod';
import { checkpointSchema, isSpent, PHASES, type ExecutionResult } from '../src/contract';
import { executeRequest } from '../src/execution/execute-request';
import type { Attempt, ExecutionHost } from '../src/execution/host';
import { logFailure } from '../src/execution/log-events';
import { ExecutionProgress } from '../src/execution/progress';
import { executionIdOf, originOf, waitedMs } from './attempt-facts';
import { attemptSignal, type IsAwaited } from './attempt-signal';
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
    const context = Context.current();
    const { info } = context;
    const waited = waitedMs(info);
    const progress = new ExecutionProgress(host.owner.hostId, executionIdOf(info), waited, host.onOutput, info.attempt);
    const log = host.log.child({ workflowId: info.workflowExecution?.workflowId, attempt: info.attempt });
    const signal = attemptSignal(context, host, isAwaited);
    const { data: earlier } = handedOnSchema.safeParse(handedOn);
    const origin = earlier?.origin ?? originOf(info);
    const seen = phaseSeen(info) ?? earlier?.phase;
    const { failures, outages, isCutOff, checkpoint } = earlierAttempts(info);
    Object.assign(progress, { failures, outages });
    progress.checkpoint = checkpoint ?? earlier?.checkpoint;
    const workflow = info.workflowExecution;
    const attempt: Attempt = { signal, workflow, progress, origin, number: info.attempt, seen, isCutOff, log };
    // What the attempt before was heard to say stays until it is known what to make of it.
    let heartbeat: Heartbeat | undefined;
    const trace = host.tracing.begin({ ...attempt, workflow, context, waitedMs: waited });
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
      progress.fail(error);
      heartbeat?.now();
      throw toTemporalFailure(error, context.cancellationSignal, isSpent(progress));
    } finally {
      heartbeat?.stop();
    }
  };
}
