import type { ResolvedLimits } from '../contract';
import type { SandboxSpec } from '../engine/engine';
import type { Lease, LeasePhase } from '../leases/lease-store';
import type { LeasedSandbox } from '../pool';
import type { Attempt, ExecutionHost } from './host';
import { memoryNeed, type ReleaseMemory } from './memory-gate';

/** The exclusive use of one sandbox by one execution, with its record in the host's store. */
export interface SandboxLease extends LeasedSandbox {
  /** Notes how far the execution is. Written in the background: a crash may lose the latest step, never the record. */
  advance(phase: LeasePhase): void;
  /**
   * Ends the lease: the sandbox is destroyed, or kept for its tenant where the request allows it; its record goes, its
   * memory is given back. Requires: the program has ended. Never rejects; what is left is for the reaper.
   */
  end(): Promise<void>;
  /** Ends the lease and destroys the sandbox, whatever it does. Never rejects. */
  destroy(): Promise<void>;
}

/**
 * Waits for memory and leases a sandbox; its record is durable before this resolves. With a tenant (`reuseKey`) it may
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
    return await record(host, leased, attempt, releaseMemory);
  } catch (error) {
    releaseMemory();
    throw error;
  }
}

async function record(
  host: ExecutionHost,
  leased: LeasedSandbox,
  { progress, log }: Attempt,
  releaseMemory: ReleaseMemory,
): Promise<SandboxLease> {
  const now = Date.now();
  const lease: Lease = {
    v: 1,
    tenant: progress.tenant,
    executionId: progress.executionId,
    containerId: leased.sandbox.containerId,
    sandboxName: leased.sandbox.name,
    ...host.owner,
    phase: 'leased',
    createdAt: now,
    // Nothing takes over a sandbox of a worker that died: its lease protects it no longer than its worker lives.
    expiresAt: now,
  };
  // Writes of one record follow each other, so that the last phase is the one that stays.
  let writes = host.leases.put(lease);
  const follow = (write: () => Promise<void>): void => {
    writes = writes.then(write).catch((error: unknown) => {
      log.warn({ error, sandbox: lease.sandboxName }, 'A lease record could not be written');
    });
  };
  const over = async (gone: Promise<void>): Promise<void> => {
    await gone;
    releaseMemory();
    follow(() => forget(host, lease));
    await writes;
  };
  const destroy = (): Promise<void> => over(host.pool.release(leased.sandbox));
  try {
    await writes;
  } catch (error) {
    await destroy();
    throw error;
  }
  return {
    ...leased,
    advance: (phase) => follow(() => host.leases.put({ ...lease, phase })),
    end: () => over(host.pool.recycle(leased.sandbox)),
    destroy,
  };
}

/** A later attempt of the same execution may have written its own record meanwhile: that one stays. */
async function forget({ leases }: ExecutionHost, lease: Lease): Promise<void> {
  if (leases.get(lease)?.containerId === lease.containerId) await leases.remove(lease);
}
