import type { SandboxSpec } from '../../../src/engine/engine';
import type { WarmBudget } from '../../../src/pool/allot';
import type { PoolOptions } from '../../../src/pool/pool-options';
import { WarmPool } from '../../../src/pool/warm-pool';
import { createLog } from '../../../src/telemetry/log';
import { FakeEngine } from './fake-engine';

export const SPEC: SandboxSpec = {
  runtime: 'python',
  preload: [],
  memoryMb: 256,
  diskMb: 128,
  cpuCores: 0.5,
  maxPids: 100,
};
export const OTHER: SandboxSpec = { ...SPEC, memoryMb: 512 };
export const LEASE_MS = 60_000;

export const engine = { current: new FakeEngine() };
const pools: WarmPool[] = [];
const gates: (() => void)[] = [];
export const never = (): AbortSignal => new AbortController().signal;
/** Lets everything happen that is due at once, refills after a lease included. */
export const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(250);

/** From now on boots do not end before the function that it returns is called, or the test is over. */
export function closeGate(): () => void {
  const { current } = engine;
  let open = (): void => undefined;
  current.gate = new Promise<void>((resolve) => (open = resolve)).then(() => void (current.gate = undefined));
  gates.push(open);
  return open;
}

interface Settings extends Partial<Omit<PoolOptions, 'warm'>> {
  readonly warm?: Partial<WarmBudget>;
}

export function openPool({ warm, ...options }: Settings = {}): WarmPool {
  const pool = new WarmPool({
    engine: engine.current,
    owner: { hostId: 'host', workerId: 'worker' },
    log: createLog({ level: 'silent', format: 'json' }),
    bootTimeoutMs: 5_000,
    leaseMs: LEASE_MS,
    warm: { warmPerKey: 1, maxWarm: 4, memoryMb: 1_000, ...warm },
    reuse: { maxUses: 3, maxAgeMs: 600_000, maxWaiting: 2 },
    prewarm: [],
    parallelBoots: 2,
    ...options,
  });
  pools.push(pool);
  pool.start();
  return pool;
}

/** Gives each test of the file a clock and an engine of its own, and ends its pools. */
export function isolateTests(): void {
  beforeEach(() => {
    jest.useFakeTimers();
    engine.current = new FakeEngine();
  });

  afterEach(async () => {
    for (const open of gates.splice(0)) open();
    const drained = Promise.all(pools.splice(0).map((pool) => pool.drain(0)));
    await settle();
    await drained;
    expect(engine.current.failDestroy || engine.current.alive.length === 0).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });
}
