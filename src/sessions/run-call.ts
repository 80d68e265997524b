import {
  HourglassError,
  type ExecutionResult,
  type ResourceLimits,
  type SessionFacts,
  type ValidRequest,
} from '../contract';
import { collectOutputs } from '../execution/collect-outputs';
import { composeResult, type CollectedOutputs } from '../execution/compose-result';
import { executionKey } from '../execution/execution-key';
import { grantLimits } from '../execution/grant-limits';
import type { Attempt } from '../execution/host';
import { logEnd } from '../execution/log-events';
import { OutputBatch } from '../execution/output-batch';
import { prepareProgram, programOf } from '../execution/prepare-program';
import { LeaveRunning } from '../runner';
import { callerOf, type CallParts } from './call-parts';
import { keepFiles } from './keep-files';
import type { Ended } from './live-parts';
import type { LiveSession } from './live-session';
import { auditForeign } from './own-key';
import type { ValidCall } from './session-input';
import { leaseKey } from './session-record';

/** Limits that are those of the session's sandbox; a call cannot have others. */
const OF_SANDBOX = ['memoryMb', 'diskMb', 'cpuCores', 'maxPids'] as const satisfies readonly (keyof ResourceLimits)[];

/**
 * Runs one program in a session, from its request to its result. The result is stored before anybody is told: an attempt
 * that comes later is answered with it.
 *
 * Requires: within `session.exclusive`. Rejects as `callSession` does.
 */
export async function runCall(request: ValidRequest, parts: CallParts): Promise<ExecutionResult> {
  const { call, session, host, attempt } = parts;
  const { progress } = attempt;
  requireSameSession(request, session, attempt);
  progress.describe({ ...request, workspaceId: call.key.workspaceId, userId: call.key.userId });
  const key = executionKey({ progress, origin: `${leaseKey(call.key).origin} ${call.callId}` });
  const stored = host.leases.result(key);
  if (stored !== undefined) return stored;
  if (call.repeated === true) {
    throw new HourglassError('OUTCOME_UNKNOWN', 'the call was answered before, and its result is not kept any more');
  }
  const result = await run(request, parts);
  await host.leases.putResult(key, result, host.owner.workerId);
  logEnd(result, attempt);
  host.metrics.ended(result, attempt);
  return result;
}

async function run(request: ValidRequest, parts: CallParts): Promise<ExecutionResult> {
  const { call, session, host, attempt } = parts;
  const { progress, signal } = attempt;
  const { executionId } = progress;
  const caller = callerOf(parts);
  const limits = grantLimits(
    { ...request, sessionId: undefined, resourceLimits: ofCall(request, session) },
    host.policy,
  );
  const workspace = await host.workspaces.open(progress.tenant);
  const batch = new OutputBatch(workspace, executionId);
  try {
    const ended = await session.program(caller, {
      prepare: () => prepareProgram(request, executionId, limits, workspace),
      resume: () => programOf(request, executionId, limits),
    });
    const { outcome, startKind } = ended;
    const lease = { sandbox: session.sandbox, channel: session.channel, startKind };
    const result = await session.read(caller, async () => {
      const collected = await collectOutputs({ request, outcome, lease, batch, host, attempt, staysAlive: true });
      const outputs = withWarning(collected, await keepFiles(session, ended, attempt));
      progress.enter('finishing');
      const facts = factsOf(call, ended);
      return composeResult({ request, outcome, outputs, lease, host, attempt, session: facts }, batch);
    });
    signal.throwIfAborted();
    if (!session.isOurs) throw new LeaveRunning('another worker has taken the session over');
    await batch.commit();
    return result;
  } catch (error) {
    await batch.abort();
    throw error;
  }
}

function withWarning(outputs: CollectedOutputs, warning: string | undefined): CollectedOutputs {
  return warning === undefined ? outputs : { ...outputs, warnings: [...outputs.warnings, warning] };
}

function factsOf({ key, recreated, restored }: ValidCall, { number, outcome }: Ended): SessionFacts {
  const { state, background } = outcome.session ?? { state: 'empty', background: 0 };
  const facts = { sessionId: key.sessionId, call: number, state, background };
  return recreated === true ? { ...facts, recreated, ...(restored && { restored }) } : facts;
}

function ofCall({ resourceLimits }: ValidRequest, { hold }: LiveSession): ResourceLimits {
  const { memoryMb, diskMb, cpuCores, maxPids } = hold.limits;
  return { ...resourceLimits, memoryMb, diskMb, cpuCores, maxPids };
}

function requireSameSession(
  { language, workspaceId, userId, resourceLimits = {} }: ValidRequest,
  { hold, key }: LiveSession,
  { log }: Attempt,
): void {
  const isForeign = (workspaceId ?? key.workspaceId) !== key.workspaceId || (userId ?? key.userId) !== key.userId;
  if (isForeign) {
    auditForeign(key, { asks: `${workspaceId}/${userId}` }, log);
    throw new HourglassError('SESSION_MISMATCH', 'the request names another tenant than that of the session');
  }
  if (language !== hold.language) {
    const message = `Session language mismatch: session is ${hold.language}, requested ${language}`;
    throw new HourglassError('SESSION_MISMATCH', message);
  }
  const { limits } = hold;
  const other = OF_SANDBOX.find((name) => resourceLimits[name] !== undefined && resourceLimits[name] !== limits[name]);
  if (other === undefined) return;
  const message = `${other} of the session is ${limits[other]}, requested ${resourceLimits[other]}`;
  throw new HourglassError('SESSION_MISMATCH', message, { limit: other });
}
