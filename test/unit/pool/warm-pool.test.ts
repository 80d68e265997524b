import { IDLE_MS } from '../../../src/pool/pool-key';
import { TO_GUEST } from '../../../src/runner/protocol';
import { closeGate, engine, isolateTests, LEASE_MS, never, openPool, OTHER, settle, SPEC } from './pools';

isolateTests();

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
