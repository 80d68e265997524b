import { createHash } from 'node:crypto';
import { Context, type Info } from '@temporalio/activity';
import { RUNTIME_OF, type ExecutionResult } from '../src/contract';
import { sandboxSpec } from '../src/engine/sandbox-spec';
import { collectOutputs } from '../src/execution/collect-outputs';
import { composeResult } from '../src/execution/compose-result';
import { grantLimits } from '../src/execution/grant-limits';
import type { Attempt, ExecutionHost } from '../src/execution/host';
import { leaseSandbox } from '../src/execution/lease-sandbox';
import { logEnd, logFailure } from '../src/execution/log-events';
import { OutputBatch } from '../src/execution/output-batch';
import { parseRequest } from '../src/execution/parse-request';
import { prepareProgram } from '../src/execution/prepare-program';
import { ExecutionProgress } from '../src/execution/progress';
import { reuseKey } from '../src/execution/reuse-key';
import { runInSandbox } from '../src/execution/run-in-sandbox';
import { preloadFor } from '../src/runner';
import { toTemporalFailure } from './failures';
import { startHeartbeat } from './heartbeat';

/** The activity that runs one request, with a heartbeat from its first line to its last. */
export function createExecuteCode(host: ExecutionHost): (input: unknown) => Promise<ExecutionResult> {
  return async (input) => {
    const context = Context.current();
    const { info, cancellationSignal: signal } = context;
    const waited = waitedMs(info);
    const progress = new ExecutionProgress(host.owner.hostId, executionIdOf(info), waited, host.onOutput);
    const heartbeat = startHeartbeat(context, () => progress.details(), host.heartbeatIntervalMs);
    const log = host.log.child({ workflowId: info.workflowExecution?.workflowId, attempt: info.attempt });
    const attempt: Attempt = { signal, progress, number: info.attempt, log };
    const workflow = info.workflowExecution;
    const trace = host.tracing.begin({ ...attempt, context, waitedMs: waited, workflow });
    progress.watch((phase) => trace.enter(phase));
    try {
      const result = await executeRequest(input, host, attempt);
      trace.ended(result);
      return result;
    } catch (error) {
      logFailure(error, attempt);
      trace.failed(error);
      host.metrics.failed(error, attempt);
      throw toTemporalFailure(error, signal);
    } finally {
      heartbeat.stop();
    }
  };
}

/**
 * The path of one execution, from the request to its result.
 *
 * Resolves for everything the program does, including a crash, a timeout or no memory. Rejects with HourglassError, or with
 * the signal's reason; the sandbox is gone in either case.
 */
export async function executeRequest(input: unknown, host: ExecutionHost, attempt: Attempt): Promise<ExecutionResult> {
  const { progress, signal } = attempt;
  const request = parseRequest(input);
  progress.describe(request);
  const limits = grantLimits(request, host.policy);
  const workspace = await host.workspaces.open(progress.tenant);
  const program = await prepareProgram(request, progress.executionId, limits, workspace);
  const spec = sandboxSpec(RUNTIME_OF[request.language], preloadFor(request.language, program.code), limits);
  const lease = await leaseSandbox(host, spec, limits, attempt, reuseKey(request, host));
  const batch = new OutputBatch(workspace, progress.executionId);
  let isOver = false;
  try {
    const outcome = await runInSandbox(lease, program, attempt);
    const outputs = await collectOutputs({ request, outcome, lease, batch, host, attempt });
    progress.enter('finishing');
    const result = await composeResult({ request, outcome, outputs, lease, host, attempt }, batch);
    signal.throwIfAborted();
    await batch.commit();
    lease.advance('published');
    logEnd(result, attempt);
    host.metrics.ended(result, attempt);
    isOver = true;
    return result;
  } finally {
    // The guest has said that every process is dead: a result need not wait for the engine to take the container away.
    if (isOver) host.background.add(lease.end());
    else await Promise.allSettled([batch.abort(), lease.destroy()]);
  }
}

/** Stable over the attempts of an activity whose caller named no id. */
function executionIdOf(info: Info): string {
  const { namespace, workflowExecution, activityId } = info;
  const key = JSON.stringify([namespace, workflowExecution, activityId]);
  return `activity-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
}

/** From the scheduling of this attempt to its start; the clocks of server and worker may differ a little. */
function waitedMs({ currentAttemptScheduledTimestampMs }: Info): number {
  return Math.max(0, Date.now() - currentAttemptScheduledTimestampMs);
}
