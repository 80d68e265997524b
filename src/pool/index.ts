import type { HourglassConfig } from '../config/config';
import { resolveLimits, type Runtime } from '../contract';
import type { Engine, SandboxOwner, SandboxSpec } from '../engine/engine';
import { sandboxSpec } from '../engine/sandbox-spec';
import type { Log } from '../telemetry/log';
import { WarmPool } from './warm-pool';

export type { LeasedSandbox } from './pool-options';
export type { PoolStats, StartKind } from './pool-stats';
export type { Booted } from './slot';
export { WarmPool } from './warm-pool';

const RUNTIMES: readonly Runtime[] = ['python', 'javascript', 'shell'];

/**
 * The pool that a configuration asks for; `start` begins its work. Asks the engine for its processors, which bound the
 * boots in advance; rejects with HourglassError ENGINE_UNAVAILABLE where it does not answer.
 */
export async function createWarmPool(
  config: Pick<HourglassConfig, 'pool' | 'reuse' | 'policy' | 'leaseMs'> & { engine: { bootTimeoutMs: number } },
  engine: Engine,
  owner: SandboxOwner,
  log: Log,
): Promise<WarmPool> {
  const { cpus } = await engine.info();
  return new WarmPool({
    engine,
    owner,
    log,
    bootTimeoutMs: config.engine.bootTimeoutMs,
    leaseMs: config.leaseMs,
    warm: config.pool,
    reuse: { ...config.reuse, maxWaiting: config.pool.maxWarm },
    prewarm: prewarmSpecs(config),
    parallelBoots: Math.max(1, cpus),
  });
}

/** Sandboxes of the default limits for the configured runtimes; names that are no runtime are ignored. */
function prewarmSpecs({ pool, policy }: Pick<HourglassConfig, 'pool' | 'policy'>): SandboxSpec[] {
  const limits = resolveLimits({}, policy);
  return RUNTIMES.filter((runtime) => pool.prewarm.includes(runtime)).map((runtime) =>
    sandboxSpec(runtime, [], limits),
  );
}
