import { HourglassError } from '../../../src/contract';
import type { SandboxSpec } from '../../../src/engine/engine';
import type { WarmBudget } from '../../../src/pool/allot';
import { BREAKER_FAILURES, BREAKER_MS } from '../../../src/pool/breaker';
import { IDLE_MS } from '../../../src/pool/pool-key';
import type { PoolOptions } from '../../../src/pool/pool-options';
import { WarmPool } from '../../../src/pool/warm-pool';
import { TO_GUEST } from '../../../src/runner/protocol';
import { createLog } from '../../../src/telemetry/log';
import { FakeEngine } from './fake-engine';

const SPEC: SandboxSpec = { runtime: 'python', preload: [], memoryMb: 256, diskMb: 128, cpuCores: 0.5, maxPids: 100 };
const OTHER: SandboxSpec = { ...SPEC, memoryMb: 512 };
const LEASE_MS = 60_000;
/** Time within which the pool looks after itself, asked or not. */
const SWEEP_MS = 16_000;

const engine = { current: new FakeEngine() };
const pools: WarmPool[] = [];
const gates: (() => void)[] = [];
const never = (): AbortSignal => new AbortController().signal;
/** Lets everything happen that is due at once, refills after a lease included. */
const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(250);

/** From now on boots do not end before the function that it returns is called, or the test is over. */
function closeGate(): () => void {
  const { current } = engine;
  let open = (): void => undefined;
  current.gate = new Promise<void>((resolve) => (open = resolve)).then(() => void (current.gate = undefined));
  gates.push(open);
  return open;
}

interface Settings extends Partial<Omit<PoolOptions, 'warm'>> {
  readonly warm?: Partial<WarmBudget>;
}

function openPool({ warm, ...options }: Settings = {}): WarmPool {
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

test('the first use of a spec is cold and the next is warm', async () => {
  const pool = openPool();
  const first = await pool.lease(SPEC, never());
  await pool.release(first.sandbox);
  await settle();
  const second = await pool.lease(SPEC, never());
  expect([first.startKind, second.startKind]).toEqual(['cold', 'warm']);
  expect(second.sandbox).not.toBe(first.sandbox);
});

test('a released sandbox is destroyed and never leased again', async () => {
  const pool = openPool({ warm: { warmPerKey: 0 } });
  const { sandbox } = await pool.lease(SPEC, never());
  expect(pool.holds(sandbox.containerId)).toBe(true);
  await pool.release(sandbox);
  expect(pool.holds(sandbox.containerId)).toBe(false);
  expect(engine.current.alive).toEqual([]);
});

test('what is configured is warm before anybody asks', async () => {
  const pool = openPool({ prewarm: [SPEC] });
  await settle();
  expect((await pool.lease(SPEC, never())).startKind).toBe('warm');
});

test('a sandbox is leased once, however many ask at the same time', async () => {
  const pool = openPool({ prewarm: [SPEC], warm: { warmPerKey: 2 } });
  await settle();
  const leases = await Promise.all(Array.from({ length: 8 }, () => pool.lease(SPEC, never())));
  expect(new Set(leases.map(({ sandbox }) => sandbox)).size).toBe(8);
  expect(leases.filter(({ startKind }) => startKind === 'warm')).toHaveLength(2);
});

test('a lease takes over a boot in advance instead of booting another', async () => {
  const open = closeGate();
  const pool = openPool({ prewarm: [SPEC] });
  const lease = pool.lease(SPEC, never());
  open();
  expect((await lease).startKind).toBe('cold');
  expect(engine.current.boots).toBe(1);
});

test('another spec never gets the sandbox that is warm', async () => {
  const pool = openPool({ prewarm: [SPEC] });
  await settle();
  expect((await pool.lease(OTHER, never())).sandbox.spec).toEqual(OTHER);
});

test('a warm sandbox that died is replaced, and is not leased', async () => {
  const pool = openPool({ prewarm: [SPEC] });
  await settle();
  engine.current.sandboxes[0]?.die();
  await settle();
  const lease = await pool.lease(SPEC, never());
  expect(lease.sandbox).toBe(engine.current.sandboxes[1]);
  expect(lease.startKind).toBe('warm');
  expect(pool.stats()).toMatchObject({ deaths: 1 });
});

test('one that dies in the same moment as the lease is skipped', async () => {
  const pool = openPool({ prewarm: [SPEC] });
  await settle();
  engine.current.sandboxes[0]?.die();
  expect((await pool.lease(SPEC, never())).startKind).toBe('cold');
});

test('warm guests hear several times a lease that their owner lives', async () => {
  openPool({ prewarm: [SPEC] });
  await settle();
  await jest.advanceTimersByTimeAsync(LEASE_MS);
  const bytes = Buffer.concat(engine.current.sandboxes[0]?.received ?? []);
  expect(bytes.toString('latin1').split('{"leaseMs":60000}')).toHaveLength(5);
  expect(bytes.readUInt8(3)).toBe(TO_GUEST.RENEW);
});

test('a key that nobody uses is cooled down', async () => {
  const pool = openPool();
  await pool.release((await pool.lease(SPEC, never())).sandbox);
  await settle();
  expect(engine.current.alive).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(IDLE_MS + 30_000);
  expect(engine.current.alive).toEqual([]);
  expect(pool.stats().keys).toBe(0);
});

test('the least recently used key gives way where the pool is full', async () => {
  const pool = openPool({ warm: { maxWarm: 1 } });
  await pool.release((await pool.lease(SPEC, never())).sandbox);
  await settle();
  await pool.release((await pool.lease(OTHER, never())).sandbox);
  await settle();
  expect(engine.current.alive.map(({ spec }) => spec.memoryMb)).toEqual([512]);
});

describe('boots in advance', () => {
  test('are bounded', async () => {
    closeGate();
    openPool({ prewarm: [SPEC, OTHER], warm: { warmPerKey: 3 } });
    await settle();
    expect(engine.current.boots).toBe(2);
  });

  test('wait while leases wait for boots of their own', async () => {
    const pool = openPool();
    const open = closeGate();
    const leases = [SPEC, OTHER].map((spec) => pool.lease(spec, never()));
    await jest.advanceTimersByTimeAsync(SWEEP_MS);
    expect(engine.current.boots).toBe(2);
    open();
    await Promise.all(leases);
    await settle();
    expect(engine.current.boots).toBe(4);
  });

  test('leave half of the processors to runs that need them all, until one ends', async () => {
    const pool = openPool({ warm: { warmPerKey: 2 } });
    const [{ sandbox }] = await Promise.all([pool.lease(SPEC, never()), pool.lease(SPEC, never())]);
    closeGate();
    await settle();
    expect(pool.stats().slots).toMatchObject({ leased: 2, starting: 1 });
    await pool.release(sandbox);
    expect(pool.stats().slots).toMatchObject({ leased: 1, starting: 2 });
  });

  test('begin with what was used last', async () => {
    const open = closeGate();
    const pool = openPool({ prewarm: [SPEC], parallelBoots: 1, warm: { warmPerKey: 2 } });
    await settle();
    const lease = pool.lease(OTHER, never());
    open();
    await lease;
    await settle();
    expect(engine.current.sandboxes.slice(1).map(({ spec }) => spec)).toEqual([OTHER, OTHER, OTHER, SPEC]);
  });

  test('go on beside runs where there is one processor', async () => {
    const pool = openPool({ parallelBoots: 1 });
    await pool.lease(SPEC, never());
    await settle();
    expect(pool.stats().slots).toMatchObject({ leased: 1, warm: 1 });
  });
});

describe('an engine that does not boot', () => {
  const failure = new HourglassError('ENGINE_UNAVAILABLE', 'the image is missing');

  test('is reported by the lease in its own words', async () => {
    engine.current.failure = failure;
    const pool = openPool({ prewarm: [SPEC] });
    await expect(pool.lease(SPEC, never())).rejects.toBe(failure);
  });

  test('is left alone after some tries, and tried again later', async () => {
    engine.current.failure = failure;
    const pool = openPool({ prewarm: [SPEC] });
    await settle();
    expect(engine.current.boots).toBe(BREAKER_FAILURES);
    expect(pool.stats()).toMatchObject({ bootFailures: BREAKER_FAILURES, slots: { starting: 0, broken: 0 } });
    engine.current.failure = undefined;
    await jest.advanceTimersByTimeAsync(BREAKER_MS + 30_000);
    expect((await pool.lease(SPEC, never())).startKind).toBe('warm');
  });

  test('gets one try at a time after that', async () => {
    engine.current.failure = failure;
    openPool({ prewarm: [SPEC], warm: { warmPerKey: 4 } });
    await settle();
    const before = engine.current.boots;
    await jest.advanceTimersByTimeAsync(BREAKER_MS + 15_000);
    expect(engine.current.boots).toBe(before + 1);
  });

  test('is left alone for other limits, too', async () => {
    engine.current.failure = failure;
    const pool = openPool({ prewarm: [SPEC, OTHER] });
    await settle();
    expect(engine.current.boots).toBe(BREAKER_FAILURES);
    await expect(pool.lease({ ...SPEC, maxPids: 7 }, never())).rejects.toBe(failure);
    await jest.advanceTimersByTimeAsync(BREAKER_MS - 1_000);
    // The lease's own boot, and none in advance.
    expect(engine.current.boots).toBe(BREAKER_FAILURES + 1);
  });

  test('gets one try for all limits after that', async () => {
    engine.current.failure = failure;
    openPool({ prewarm: [SPEC, OTHER] });
    await settle();
    const before = engine.current.boots;
    await jest.advanceTimersByTimeAsync(BREAKER_MS + 15_000);
    expect(engine.current.boots).toBe(before + 1);
  });

  test('is no reason to leave another preload set or runtime alone', async () => {
    const others: SandboxSpec[] = [
      { ...SPEC, preload: ['numpy'] },
      { ...SPEC, runtime: 'shell' },
    ];
    engine.current.failure = failure;
    const pool = openPool({ prewarm: [SPEC] });
    await settle();
    engine.current.failure = undefined;
    for (const other of others) await pool.release((await pool.lease(other, never())).sandbox);
    await settle();
    expect(engine.current.alive.map(({ spec }) => spec)).toEqual(others);
  });

  test('is booted in advance again for all limits once it boots for some', async () => {
    engine.current.failure = failure;
    const pool = openPool({ prewarm: [SPEC] });
    await settle();
    engine.current.failure = undefined;
    await pool.release((await pool.lease(OTHER, never())).sandbox);
    await settle();
    expect((await pool.lease(SPEC, never())).startKind).toBe('warm');
  });

  test('still answers leases, cold', async () => {
    engine.current.failure = failure;
    const pool = openPool({ prewarm: [SPEC] });
    await settle();
    engine.current.failure = undefined;
    expect((await pool.lease(SPEC, never())).startKind).toBe('cold');
  });
});

test('a guest that never becomes ready is destroyed and named', async () => {
  engine.current.isSilent = true;
  const pool = openPool({ warm: { warmPerKey: 0 } });
  const lease = pool.lease(SPEC, never());
  const refused = expect(lease).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringMatching(/not ready within 5000 ms.*said the guest/) as string,
  });
  await jest.advanceTimersByTimeAsync(5_000);
  await refused;
  expect(engine.current.alive).toEqual([]);
});

describe('a lease that is cancelled', () => {
  test('rejects with the reason of the signal and leaves nothing', async () => {
    const open = closeGate();
    const pool = openPool({ warm: { warmPerKey: 0 } });
    const controller = new AbortController();
    const lease = pool.lease(SPEC, controller.signal);
    controller.abort(new Error('cancelled by the caller'));
    await expect(lease).rejects.toThrow('cancelled by the caller');
    open();
    await settle();
    expect(engine.current.alive).toEqual([]);
    expect(pool.stats().bootFailures).toBe(0);
  });

  test('leaves its sandbox to the next one where the pool keeps some warm', async () => {
    const open = closeGate();
    const pool = openPool();
    const controller = new AbortController();
    const lease = pool.lease(SPEC, controller.signal);
    controller.abort(new Error('cancelled by the caller'));
    await expect(lease).rejects.toThrow('cancelled by the caller');
    open();
    await settle();
    expect((await pool.lease(SPEC, never())).startKind).toBe('warm');
    expect(engine.current.sandboxes).toHaveLength(1);
  });

  test('does not begin when the signal is aborted already', async () => {
    await expect(openPool().lease(SPEC, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
    expect(engine.current.boots).toBe(0);
  });
});

describe('draining', () => {
  test('waits for what is leased, and destroys what is warm at once', async () => {
    const pool = openPool({ prewarm: [OTHER] });
    await settle();
    const { sandbox } = await pool.lease(SPEC, never());
    let isDrained = false;
    const drained = pool.drain(10_000).then(() => (isDrained = true));
    await settle();
    expect(engine.current.alive.map(({ spec }) => spec)).toEqual([SPEC]);
    expect(isDrained).toBe(false);
    await pool.release(sandbox);
    await drained;
    expect(engine.current.alive).toEqual([]);
  });

  test('destroys what is leased when the time is over', async () => {
    const pool = openPool({ warm: { warmPerKey: 0 } });
    await pool.lease(SPEC, never());
    const drained = pool.drain(10_000);
    await jest.advanceTimersByTimeAsync(10_000);
    await drained;
    expect(engine.current.alive).toEqual([]);
  });

  test('refuses new leases', async () => {
    const pool = openPool();
    await pool.drain(0);
    await expect(pool.lease(SPEC, never())).rejects.toMatchObject({ code: 'WORKER_SHUTDOWN' });
  });
});

test('a sandbox that cannot be destroyed does not hold its user up', async () => {
  engine.current.failDestroy = true;
  const pool = openPool({ warm: { warmPerKey: 0 } });
  const { sandbox } = await pool.lease(SPEC, never());
  await pool.release(sandbox);
  expect(pool.holds(sandbox.containerId)).toBe(false);
});
