import { moment } from '../clock';
import type { ResolvedLimits } from '../contract';
import type { SandboxSpec } from '../engine/engine';
import type { Lease } from '../leases/lease-store';
import type { LeasedSandbox } from '../pool';
import { executionKey } from './execution-key';
import type { Attempt, ExecutionHost } from './host';
import { memoryNeed, type ReleaseMemory } from './memory-gate';
import { holdSandbox, type SandboxLease } from './sandbox-lease';
import type { EndTurn } from './tenant-gate';

/** Beside its own time: to be staged, to be taken over, to be read to its end; in ms. */
const MARGIN_MS = 30 * 60_000;
/** How long after the end of its time somebody may still ask what became of an execution, in ms. */
const ASKED_MS = 24 * 3_600_000;

/**
 * Waits for the tenant's turn and for memory, and leases a sandbox. With a tenant (`reuseKey`) it may
 * have served that tenant before.
 *
 * Rejects with HourglassError (TENANT_LIMIT, QUEUE_TIMEOUT, POLICY_DENIED, ENGINE_UNAVAILABLE) or the signal's reason; nothing is held
 * then.
 */
export async function leaseSandbox(
  host: ExecutionHost,
  spec: SandboxSpec,
  limits: ResolvedLimits,
  attempt: Attempt,
  tenant?: string,
): Promise<SandboxLease> {
  const { progress, signal } = attempt;
  const releaseMemory = await progress.queued(acquireRoom(host, limits, attempt));
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

/** The turn first: who waits for it holds no memory. */
async function acquireRoom(
  host: ExecutionHost,
  limits: ResolvedLimits,
  { signal, progress }: Attempt,
): Promise<ReleaseMemory> {
  const wait = { signal, timeoutMs: host.queueTimeoutMs };
  const endTurn = await host.tenants.acquire(progress.tenant, wait);
  try {
    const releaseMemory = await host.memory.acquire(memoryNeed(limits), wait);
    return both(releaseMemory, endTurn);
  } catch (error) {
    endTurn();
    throw error;
  }
}

/** Room of a program that runs already. */
export function takeRoom(host: ExecutionHost, limits: ResolvedLimits, { progress }: Attempt): ReleaseMemory {
  return both(host.memory.take(memoryNeed(limits)), host.tenants.take(progress.tenant));
}

const both =
  (releaseMemory: ReleaseMemory, endTurn: EndTurn): ReleaseMemory =>
  () => {
    releaseMemory();
    endTurn();
  };

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
