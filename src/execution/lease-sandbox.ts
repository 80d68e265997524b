import { moment } from '../clock';
import type { ResolvedLimits } from '../contract';
import type { SandboxSpec } from '../engine/engine';
import type { Lease } from '../leases/lease-store';
import type { LeasedSandbox } from '../pool';
import { executionKey } from './execution-key';
import type { Attempt, ExecutionHost } from './host';
import { memoryNeed } from './memory-gate';
import { holdSandbox, type SandboxLease } from './sandbox-lease';

/** Beside its own time: to be staged, to be taken over, to be read to its end; in ms. */
const MARGIN_MS = 30 * 60_000;
/** How long after the end of its time somebody may still ask what became of an execution, in ms. */
const ASKED_MS = 24 * 3_600_000;

/**
 * Waits for memory and leases a sandbox. With a tenant (`reuseKey`) it may
 * have served that tenant before.
 *
 * Rejects with HourglassError (QUEUE_TIMEOUT, POLICY_DENIED, ENGINE_UNAVAILABLE) or the signal's reason; nothing is held
 * then.
 */
export async function leaseSandbox(
  host: ExecutionHost,
  spec: SandboxSpec,
  limits: ResolvedLimits,
  attempt: Attempt,
  tenant?: string,
): Promise<SandboxLease> {
  const { signal, progress } = attempt;
  const wait = { signal, timeoutMs: host.queueTimeoutMs };
  const releaseMemory = await progress.queued(host.memory.acquire(memoryNeed(limits), wait));
  try {
    const leased = await host.pool.lease(spec, signal, tenant);
    progress.occupy(leased.sandbox.name);
    const lease = newLease(host, leased, attempt, limits.timeout + MARGIN_MS);
    return holdSandbox(leased, { host, lease, attempt, releaseMemory });
  } catch (error) {
    releaseMemory();
    throw error;
  }
}

function newLease(
  { owner }: ExecutionHost,
  { sandbox, startKind }: LeasedSandbox,
  attempt: Attempt,
  lastsMs: number,
): Lease {
  const clock = moment();
  const until = clock.wallMs + lastsMs;
  return {
    v: 1,
    ...executionKey(attempt),
    containerId: sandbox.containerId,
    sandboxName: sandbox.name,
    ...owner,
    attempt: attempt.turn,
    workflow: attempt.workflow,
    phase: 'leased',
    createdAt: clock.wallMs,
    clock,
    expiresAt: until + ASKED_MS,
    resumption: { spec: sandbox.spec, startKind, until },
  };
}
