import { HourglassError, RUNTIME_OF, type ExecutionResult, type ResolvedLimits, type ValidRequest } from '../contract';
import { sandboxSpec } from '../engine/sandbox-spec';
import {
  isLeaving,
  LeaveRunning,
  preloadFor,
  StreamBroken,
  TakenOver,
  type Program,
  type StartedProgram,
} from '../runner';
import { collectOutputs } from './collect-outputs';
import { composeResult } from './compose-result';
import { executionKey } from './execution-key';
import { grantLimits } from './grant-limits';
import type { Attempt, ExecutionHost } from './host';
import { leaseSandbox } from './lease-sandbox';
import { logEnd } from './log-events';
import { OutputBatch } from './output-batch';
import { parseRequest } from './parse-request';
import { prepareProgram, programOf } from './prepare-program';
import { reuseKey } from './reuse-key';
import { runInSandbox } from './run-in-sandbox';
import type { SandboxLease } from './sandbox-lease';
import { takeOver } from './take-over';

/** A program in its sandbox: to be started, or started by an earlier attempt. */
interface Placed {
  readonly lease: SandboxLease;
  readonly program: Program;
  readonly started?: StartedProgram;
}

/**
 * The path of one execution, from the request to its result.
 *
 * Resolves for everything the program does, including a crash, a timeout or no memory; with the result of an earlier
 * attempt where that is stored. Rejects with HourglassError, or with the signal's reason. The sandbox is gone in either case,
 * unless its program goes on and the next attempt takes it over.
 */
export async function executeRequest(input: unknown, host: ExecutionHost, attempt: Attempt): Promise<ExecutionResult> {
  const request = parseRequest(input);
  attempt.progress.describe(request);
  const limits = grantLimits(request, host.policy);
  const earlier = await takeOver(request, limits, host, attempt);
  if (earlier.kind === 'result') return earlier.result;
  if (earlier.kind === 'nothing') return finish(request, await place(request, limits, host, attempt), host, attempt);
  const program = programOf(request, attempt.progress.executionId, limits);
  return finish(request, { ...earlier, program }, host, attempt);
}

/** A sandbox for a program that nobody has started yet. */
async function place(
  request: ValidRequest,
  limits: ResolvedLimits,
  host: ExecutionHost,
  attempt: Attempt,
): Promise<Placed> {
  const { progress } = attempt;
  try {
    const workspace = await host.workspaces.open(progress.tenant);
    const program = await prepareProgram(request, progress.executionId, limits, workspace);
    const spec = sandboxSpec(RUNTIME_OF[request.language], preloadFor(request.language, program.code), limits);
    return { program, lease: await leaseSandbox(host, spec, limits, attempt, reuseKey(request, host)) };
  } catch (error) {
    progress.mayRestart();
    throw error;
  }
}

/** From the leased sandbox to the result; a later attempt of this process that takes the sandbox over ends this one. */
async function finish(
  request: ValidRequest,
  placed: Placed,
  host: ExecutionHost,
  attempt: Attempt,
): Promise<ExecutionResult> {
  const superseded = new AbortController();
  const signal = AbortSignal.any([attempt.signal, superseded.signal]);
  const running = complete(request, placed, host, { ...attempt, signal });
  const release = host.attempts.hold(executionKey(attempt), {
    leave: async () => {
      superseded.abort(new LeaveRunning('a later attempt has taken the sandbox over'));
      await running.catch(() => undefined);
    },
  });
  try {
    return await running;
  } finally {
    release();
  }
}

async function complete(
  request: ValidRequest,
  { lease, program, started }: Placed,
  host: ExecutionHost,
  attempt: Attempt,
): Promise<ExecutionResult> {
  const { progress, signal } = attempt;
  const workspace = await host.workspaces.open(progress.tenant);
  const batch = new OutputBatch(workspace, progress.executionId);
  try {
    const outcome = await runInSandbox(lease, program, attempt, started);
    const outputs = await collectOutputs({ request, outcome, lease, batch, host, attempt });
    progress.enter('finishing');
    const result = await composeResult({ request, outcome, outputs, lease, host, attempt }, batch);
    signal.throwIfAborted();
    await batch.commit();
    await host.leases.putResult(executionKey(attempt), result, host.owner.workerId);
    logEnd(result, attempt);
    host.metrics.ended(result, attempt);
    // The guest has said that every process is dead: a result need not wait for the engine to take the container away.
    host.background.add(lease.end());
    return result;
  } catch (error) {
    const leaves = isLeaving(signal) || (error instanceof TakenOver && !lease.isOurs);
    const goesOn = lease.mayHaveRun && (leaves || (await mayEndBetter(error, lease, signal)));
    await Promise.allSettled([batch.abort(), goesOn ? lease.detach() : lease.destroy()]);
    if (goesOn) throw error instanceof TakenOver ? new LeaveRunning(error) : error;
    progress.mayRestart();
    throw lease.mayHaveRun ? asLost(error, request) : error;
  }
}

/** Faults on the way from a sandbox that is well: the next attempt finds all there and tries again. */
async function mayEndBetter(error: unknown, { sandbox }: SandboxLease, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted || !(error instanceof HourglassError)) return false;
  if (error.code === 'WORKSPACE_ERROR' || error instanceof StreamBroken) return true;
  return error.code === 'SANDBOX_LOST' && (await sandbox.end()).mayRun === true;
}

/** What may have run does not run again unless its request says that it may. */
function asLost(error: unknown, { idempotent }: ValidRequest): unknown {
  const isLoss = error instanceof HourglassError && error.code === 'SANDBOX_LOST';
  if (!isLoss || idempotent === true) return error;
  return new HourglassError(error.code, error.message, { ...error.details, mayHaveRun: true }, { cause: error.cause });
}
