import { nowSince } from '../clock';
import { HourglassError, type ExecutionResult, type Phase, type ResolvedLimits, type ValidRequest } from '../contract';
import type { Lease, LeasePhase, Resumption } from '../leases/lease-store';
import { isOfAttempt } from '../leases/of-attempt';
import type { Booted } from '../pool';
import { isLeaving, LeaveRunning, type GuestState, type StartedProgram } from '../runner';
import { attachGuest } from './attach-guest';
import { endsSandbox } from './ends-sandbox';
import { executionKey } from './execution-key';
import type { Attempt, ExecutionHost } from './host';
import { mayHaveRun } from './may-have-run';
import { takeRoom } from './lease-sandbox';
import { holdSandbox, type SandboxLease } from './sandbox-lease';

/** What an earlier attempt on this host has left: its result, its program, or nothing that has run. */
export type Earlier =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'result'; readonly result: ExecutionResult }
  | { readonly kind: 'started'; readonly lease: SandboxLease; readonly started: StartedProgram };

const NOTHING: Earlier = { kind: 'nothing' };
const KNOWN_TO_RUN: ReadonlySet<LeasePhase> = new Set(['started', 'ended', 'published']);
/** Phases of a program that has started. */
const HAS_RUN: ReadonlySet<Phase> = new Set(['running', 'staging-out', 'finishing']);

/**
 * Looks for what an earlier attempt at the same execution has left on this host, and takes it over.
 *
 * A sandbox whose program has not started is removed: the program may start in another one. Rejects with HourglassError
 * SANDBOX_LOST where the program may have run and what came of it is gone, unless it may run twice; with ENGINE_UNAVAILABLE
 * while the engine cannot say; or with the signal's reason.
 */
export async function takeOver(
  request: ValidRequest,
  limits: ResolvedLimits,
  host: ExecutionHost,
  attempt: Attempt,
): Promise<Earlier> {
  const key = executionKey(attempt);
  const result = host.leases.result(key);
  if (result !== undefined) return { kind: 'result', result };
  const lease = host.leases.get(key);
  if (lease === undefined) return nothingKnown(request, host, attempt);
  try {
    return await new TakeOver(host, attempt, limits, lease).complete();
  } catch (error) {
    return await onFailure(error, lease, request, host, attempt);
  }
}

/** The store has forgotten what an earlier attempt was heard to do: that is no proof that it did not. */
function nothingKnown({ idempotent }: ValidRequest, host: ExecutionHost, attempt: Attempt): Earlier {
  const { seen, progress } = attempt;
  const hasRun = seen !== undefined && HAS_RUN.has(seen);
  const isIllegible = host.leases.knows(executionKey(attempt));
  if (idempotent === true || (!hasRun && !isIllegible)) return NOTHING;
  const what = isIllegible
    ? 'what is left of an earlier attempt was written by another version'
    : `nothing is left of an earlier attempt that was ${seen}`;
  throw new HourglassError('OUTCOME_UNKNOWN', what, { hostId: progress.hostId, phase: seen, mayHaveRun: true });
}

/** Removes what nobody can take over any more; what came meanwhile of an attempt that is still there counts, too. */
async function onFailure(
  error: unknown,
  lease: Lease,
  { idempotent }: ValidRequest,
  host: ExecutionHost,
  { signal, progress }: Attempt,
): Promise<Earlier> {
  const result = host.leases.result(lease);
  if (result !== undefined) return { kind: 'result', result };
  const isOurs = endsSandbox(error);
  if (!isOurs && !(signal.aborted && !isLeaving(signal))) {
    if (lease.phase === 'leased') throw error;
    if (nowSince(lease.clock) > (lease.resumption?.until ?? 0)) throw mayHaveRun(error);
    // The engine does not answer yet: the program may go on meanwhile.
    progress.leave();
    throw error;
  }
  await removeRemains(host, lease);
  if (!isOurs || signal.aborted) throw error;
  if (lease.phase === 'leased' || idempotent === true) return NOTHING;
  throw mayHaveRun(error);
}

/** The sandbox first: a record without a sandbox tells the truth, a sandbox without a record belongs to nobody. */
async function removeRemains({ engine, leases }: ExecutionHost, lease: Lease): Promise<void> {
  await engine.removeContainer(lease.containerId);
  await leases.remove(lease);
}

class TakeOver {
  constructor(
    private readonly host: ExecutionHost,
    private readonly attempt: Attempt,
    private readonly limits: ResolvedLimits,
    private readonly lease: Lease,
  ) {}

  async complete(): Promise<Earlier> {
    const { host, attempt, lease, limits } = this;
    // The earlier owner may live, and hears of the next one from the guest: by then the store has to say so.
    const next = { ...lease, ...host.owner, attempt: attempt.turn, workflow: attempt.workflow };
    if (!(await host.leases.claim(next, lease))) return this.#again();
    // Whoever had it cannot begin any more: the record, written before a program may run, is not theirs.
    if (lease.phase === 'leased') {
      await removeRemains(host, next);
      return NOTHING;
    }
    const { resumption } = lease;
    if (resumption === undefined) throw this.#lost('belongs to an earlier version');
    let state: GuestState | undefined;
    const take = async (signal: AbortSignal): Promise<Booted> => {
      const taken = await this.#take(resumption, signal);
      state = taken.state;
      return taken;
    };
    const booted = await host.pool.adopt(resumption.spec, take, attempt.signal);
    const { progress } = attempt;
    progress.occupy(lease.sandboxName);
    const releaseMemory = takeRoom(host, limits, attempt);
    const leased = { ...booted, startKind: resumption.startKind };
    const started = startedProgram(state, lease, progress.executionId);
    if (started === undefined && KNOWN_TO_RUN.has(lease.phase)) {
      host.pool.detach(booted.sandbox);
      releaseMemory();
      throw this.#lost('denies what it has done');
    }
    const record = started === undefined ? next : asStarted(next, resumption, started);
    const held = holdSandbox(leased, { host, lease: record, attempt, releaseMemory });
    attempt.log.info(
      { containerName: lease.sandboxName, state: state?.state },
      'Sandbox of an earlier attempt taken over',
    );
    if (started !== undefined) return { kind: 'started', lease: held, started };
    await held.destroy();
    return NOTHING;
  }

  /** The earlier owner has gone on since the record was read, or another attempt was faster. */
  #again(): Promise<Earlier> {
    const { host, attempt, limits, lease } = this;
    const now = host.leases.get(lease);
    if (now === undefined || !isOfAttempt(now, lease)) {
      throw new LeaveRunning('another attempt takes the execution over');
    }
    return new TakeOver(host, attempt, limits, now).complete();
  }

  async #take({ spec }: Resumption, signal: AbortSignal): Promise<Booted & { state: GuestState }> {
    const { host, attempt, lease } = this;
    const taken = await attachGuest(host.engine, lease, spec, { signal, log: attempt.log });
    if (taken === undefined) throw this.#lost('does not run any more');
    return taken;
  }

  #lost(what: string): HourglassError {
    const { sandboxName, phase } = this.lease;
    const message = `the sandbox ${sandboxName} of an earlier attempt ${what}; its program may have run (last known: ${phase})`;
    return new HourglassError('SANDBOX_LOST', message, { sandboxId: sandboxName, mayHaveRun: true });
  }
}

/** What the guest knows better than a record whose latest step a crash may have lost. */
function asStarted(lease: Lease, resumption: Resumption, { ranMs }: StartedProgram): Lease {
  const startedAt = resumption.startedAt ?? nowSince(lease.clock) - ranMs;
  return { ...lease, phase: 'started', resumption: { ...resumption, startedAt } };
}

/** Undefined where no program has started. The guest's word on the time counts only where no record is left. */
function startedProgram(
  state: GuestState | undefined,
  { resumption, createdAt, clock }: Lease,
  executionId: string,
): StartedProgram | undefined {
  if (state === undefined || state.elapsedMs === null || state.executionId !== executionId) return undefined;
  const now = nowSince(clock);
  const ranMs = now - (resumption?.startedAt ?? Math.max(createdAt, now - state.elapsedMs));
  return { ranMs: Math.max(0, ranMs), hasEnded: state.state === 'ended' };
}
