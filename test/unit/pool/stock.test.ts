import { HourglassError } from '../../../src/contract';
import type { SandboxSpec } from '../../../src/engine/engine';
import { BREAKER_FAILURES, BREAKER_MS } from '../../../src/pool/breaker';
import { closeGate, engine, isolateTests, never, openPool, OTHER, settle, SPEC } from './pools';

/** Time within which the pool looks after itself, asked or not. */
const SWEEP_MS = 16_000;

isolateTests();

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

test('sandboxes kept for tenants have the memory that warm ones leave; those used longest ago give way', async () => {
  const pool = openPool({ warm: { memoryMb: 30 } });
  for (const tenant of ['ada', 'bob']) {
    const recycled = pool.recycle((await pool.lease(SPEC, never(), tenant)).sandbox);
    await settle();
    await recycled;
  }
  const alive = (): string[] => engine.current.alive.map(({ name }) => name);
  expect(alive()).toEqual(['s1', 's2', 's3']);
  await pool.release((await pool.lease(OTHER, never())).sandbox);
  await settle();
  expect(alive()).toEqual(['s2', 's3', 's5']);
  expect((await pool.lease(SPEC, never(), 'bob')).startKind).toBe('reused');
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
