import {
  HourglassError,
  MAX_FAILURES,
  RUNTIME_OF,
  type ExecutionResult,
  type FailureCode,
  type ResolvedLimits,
  type ValidRequest,
} from '../contract';
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
import { mayHaveRun } from './may-have-run';
import { OutputBatch } from './output-batch';
import { parseRequest } from './parse-request';
import { prepareProgram, programOf } from './prepare-program';
import { reuseKey } from './reuse-key';
import { runInSandbox } from './run-in-sandbox';
import type { SandboxLease } from './sandbox-lease';
import { takeOver, type Earlier } from './take-over';

/** A program in its sandbox: to be started, or started by an earlier attempt. */
interface Placed {
  readonly lease: SandboxLease;
  readonly program: Program;
  readonly batch: OutputBatch;
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
  return alone(host, attempt, async (held) => {
    const earlier = await takeOver(request, limits, host, held);
    if (earlier.kind === 'result') return earlier.result;
    const placed = await (earlier.kind === 'nothing'
      ? place(request, limits, host, held)
      : goOn(request, limits, earlier, host, held));
    return complete(request, placed, host, held);
  });
}

/**
 * Goes on with what an earlier attempt has begun on this host, and starts nothing; undefined where there is nothing to go on with, or
 * an attempt has it. As `executeRequest` otherwise.
 */
export async function resumeRequest(
  input: unknown,
  host: ExecutionHost,
  attempt: Attempt,
): Promise<ExecutionResult | undefined> {
  const request = parseRequest(input);
  attempt.progress.describe(request);
  const limits = grantLimits(request, host.policy);
  if (host.attempts.isHeld(executionKey(attempt))) return undefined;
  return untilSuperseded(host, attempt, async (held) => {
    const earlier = await takeOver(request, limits, host, held);
    if (earlier.kind !== 'started') return earlier.kind === 'result' ? earlier.result : undefined;
    return complete(request, await goOn(request, limits, earlier, host, held), host, held);
  });
}

/** Ends the attempt of this process that has the execution before this one begins; a later attempt ends this one. */
async function alone(
  host: ExecutionHost,
  attempt: Attempt,
  run: (attempt: Attempt) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  await host.attempts.supersede(executionKey(attempt));
  return untilSuperseded(host, attempt, run);
}

async function untilSuperseded<T>(
  host: ExecutionHost,
  attempt: Attempt,
  run: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const superseded = new AbortController();
  const running = run({ ...attempt, signal: AbortSignal.any([attempt.signal, superseded.signal]) });
  const release = host.attempts.hold(executionKey(attempt), {
    leave: async () => {
      superseded.abort(new LeaveRunning('a later attempt has taken the execution over'));
      await running.catch(() => undefined);
    },
  });
  try {
    return await running;
  } finally {
    release();
  }
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
    requireAnotherTry(attempt);
    requireTakesWork(host, attempt);
    const workspace = await host.workspaces.open(progress.tenant);
    const prepared = await prepareProgram(request, progress.executionId, limits, workspace);
    const program = { ...prepared, checkpoint: progress.checkpoint };
    const spec = sandboxSpec(RUNTIME_OF[request.language], preloadFor(request.language, program.code), limits);
    const lease = await leaseSandbox(host, spec, limits, attempt, reuseKey(request, host));
    return { lease, program, batch: new OutputBatch(workspace, progress.executionId) };
  } catch (error) {
    progress.mayRestart();
    throw error;
  }
}

/** The sandbox in which an earlier attempt has started the program. */
async function goOn(
  request: ValidRequest,
  limits: ResolvedLimits,
  { lease, started }: Extract<Earlier, { kind: 'started' }>,
  host: ExecutionHost,
  { progress: { tenant, executionId } }: Attempt,
): Promise<Placed> {
  try {
    const batch = new OutputBatch(await host.workspaces.open(tenant), executionId);
    return { lease, started, batch, program: programOf(request, executionId, limits) };
  } catch (error) {
    await lease.detach();
    throw error;
  }
}

/** An attempt that was cut off and has left nothing counts as a failure: what it was to run may be what ends workers. */
function requireAnotherTry({ isCutOff, progress }: Attempt): void {
  if (isCutOff !== true) return;
  progress.failures += 1;
  if (progress.failures < MAX_FAILURES) return;
  throw new HourglassError('INTERNAL_ERROR', `the worker ended ${MAX_FAILURES} times before the program started`);
}

/** What a workflow hands to this host has been begun here, or is nobody else's. */
function requireTakesWork({ drain, owner }: ExecutionHost, { isHandedOn }: Attempt): void {
  if (drain.mark === undefined || isHandedOn === true) return;
  throw new HourglassError('HOST_DRAINING', `host ${owner.hostId} takes no new work`);
}

/** From the leased sandbox to the result. */
async function complete(
  request: ValidRequest,
  { lease, program, batch, started }: Placed,
  host: ExecutionHost,
  attempt: Attempt,
): Promise<ExecutionResult> {
  const { progress, signal } = attempt;
  try {
    const outcome = await runInSandbox(lease, program, attempt, started);
    const outputs = await collectOutputs({ request, outcome, lease, batch, host, attempt });
    progress.enter('finishing');
    const result = await composeResult({ request, outcome, outputs, lease, host, attempt }, batch);
    signal.throwIfAborted();
    // An attempt that was silent for long may have been given up for another one, which has the sandbox now.
    if (!lease.isOurs) throw new TakenOver();
    await batch.commit();
    await host.leases.putResult(executionKey(attempt), result, host.owner.workerId);
    logEnd(result, attempt);
    host.metrics.ended(result, attempt);
    // The guest has said that every process is dead: a result need not wait for the engine to take the container away.
    host.background.add(lease.end());
    return result;
  } catch (error) {
    const leaves = isLeaving(signal) || (error instanceof TakenOver && !lease.isOurs);
    const isKept = leaves || error instanceof StreamBroken;
    const goesOn = lease.mayHaveRun && (isKept || (await mayEndBetter(error, lease, attempt)));
    if (goesOn && isKept) progress.leave();
    await Promise.allSettled([batch.abort(), goesOn ? lease.detach() : lease.destroy()]);
    if (goesOn) throw error instanceof TakenOver ? new LeaveRunning(error) : error;
    progress.mayRestart();
    throw lease.mayHaveRun ? asEnded(error, signal, request) : error;
  }
}

/** Faults on the way from a sandbox that is well: the next attempt finds all there and tries again. */
async function mayEndBetter(
  error: unknown,
  { sandbox }: SandboxLease,
  { signal, progress }: Attempt,
): Promise<boolean> {
  if (signal.aborted || progress.wouldBeLast(error)) return false;
  if (error instanceof HourglassError && FINAL.has(error.code)) return false;
  return (await sandbox.end()).mayRun === true;
}

/** Failures that no other attempt can better. */
const FINAL: ReadonlySet<FailureCode> = new Set(['PROTOCOL_ERROR', 'INPUT_FILE_ERROR', 'VALIDATION_ERROR']);

/** Whoever ends a program on purpose knows that it has run; a worker that takes it along was not asked to. */
function asEnded(error: unknown, signal: AbortSignal, request: ValidRequest): unknown {
  return signal.aborted && !(signal.reason instanceof HourglassError) ? error : asFinal(error, request);
}

/** What may have run does not run again unless its request says that it may. */
function asFinal(error: unknown, { idempotent }: ValidRequest): unknown {
  if (idempotent === true || (error instanceof HourglassError && !error.retryable)) return error;
  return mayHaveRun(error);
}
