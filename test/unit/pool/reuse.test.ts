import type { SandboxSpec } from '../../../src/engine/engine';
import type { LeasedSandbox } from '../../../src/pool';
import type { ReuseLimits } from '../../../src/pool/reuse';
import { WarmPool } from '../../../src/pool/warm-pool';
import { SILENT } from '../../../src/telemetry/log';
import { FakeEngine, type FakeSandbox } from './fake-engine';

const SPEC: SandboxSpec = { runtime: 'python', preload: [], memoryMb: 256, diskMb: 128, cpuCores: 0.5, maxPids: 100 };
const never = new AbortController().signal;

let engine: FakeEngine;
let pool: WarmPool;

function open(reuse: Partial<ReuseLimits> = {}, memoryMb = 1_000): void {
  engine = new FakeEngine();
  pool = new WarmPool({
    engine,
    owner: { hostId: 'host', workerId: 'worker' },
    log: SILENT,
    bootTimeoutMs: 5_000,
    leaseMs: 60_000,
    warm: { warmPerKey: 0, maxWarm: 4, memoryMb },
    reuse: { maxUses: 3, maxAgeMs: 600_000, maxWaiting: 2, ...reuse },
    prewarm: [],
    parallelBoots: 2,
  });
  pool.start();
}

afterEach(async () => {
  await pool.drain(0);
  expect(engine.alive).toEqual([]);
});

const lease = (tenant?: string, spec = SPEC): Promise<LeasedSandbox> => pool.lease(spec, never, tenant);

/** Leases and gives back; the name and kind of what was leased. */
async function use(tenant?: string, spec = SPEC): Promise<string> {
  const { sandbox, startKind } = await lease(tenant, spec);
  await pool.recycle(sandbox);
  return `${sandbox.name} ${startKind}`;
}

test('a sandbox serves its tenant again, up to its number of uses', async () => {
  open();
  expect([await use('ada'), await use('ada'), await use('ada'), await use('ada')]).toEqual([
    's1 cold',
    's1 reused',
    's1 reused',
    's2 cold',
  ]);
  expect(engine.sandboxes.map(({ resets }) => resets)).toEqual([2, 1]);
});

test('another tenant never gets it, and neither does a run of its own', async () => {
  open();
  expect([await use('ada'), await use('eve'), await use(), await use('ada')]).toEqual([
    's1 cold',
    's2 cold',
    's3 cold',
    's1 reused',
  ]);
});

test('another spec of the same tenant gets another', async () => {
  open();
  await use('ada');
  expect(await use('ada', { ...SPEC, memoryMb: 512 })).toBe('s2 cold');
});

test('a run without a tenant is over with its sandbox', async () => {
  open();
  await use();
  expect(engine.sandboxes[0]).toMatchObject({ destroyed: true, resets: 0 });
});

test('the next run waits for a reset instead of a boot', async () => {
  open();
  const first = await lease('ada');
  const sandbox = engine.sandboxes[0] as FakeSandbox;
  sandbox.resetAnswer = 'silence';
  const recycled = pool.recycle(first.sandbox);
  const next = lease('ada');
  sandbox.sayReady();
  expect(await next).toMatchObject({ startKind: 'reused', sandbox: first.sandbox });
  await recycled;
  expect(engine.boots).toBe(1);
});

test('a sandbox that cannot be reset is destroyed, and who waited for it gets another', async () => {
  open();
  const first = await lease('ada');
  const sandbox = engine.sandboxes[0] as FakeSandbox;
  sandbox.resetAnswer = 'silence';
  const recycled = pool.recycle(first.sandbox);
  const next = lease('ada');
  sandbox.die();
  expect(await next).toMatchObject({ startKind: 'cold' });
  await recycled;
  expect(sandbox.destroyed).toBe(true);
});

test('R18: a READY from before the reset is no answer to it', async () => {
  open();
  const { sandbox } = await lease('ada');
  const guest = engine.sandboxes[0] as FakeSandbox;
  guest.resetAnswer = 'silence';
  guest.sayReady();
  await pool.recycle(sandbox);
  expect(guest).toMatchObject({ destroyed: true, resets: 0 });
  expect(await use('ada')).toBe('s2 cold');
});

test('one that died while it waited is not used', async () => {
  open();
  await use('ada');
  engine.sandboxes[0]?.die();
  expect(await use('ada')).toBe('s2 cold');
});

test('an old one is not used again', async () => {
  open({ maxAgeMs: 0 });
  expect([await use('ada'), await use('ada')]).toEqual(['s1 cold', 's2 cold']);
});

test('one that grew old while it waited is not used again', async () => {
  open({ maxAgeMs: 10_000 });
  const born = Date.now();
  const clock = jest.spyOn(Date, 'now').mockReturnValue(born);
  const kinds = [await use('ada')];
  for (const age of [9_999, 10_000]) {
    clock.mockReturnValue(born + age);
    kinds.push(await use('ada'));
  }
  clock.mockRestore();
  expect(kinds).toEqual(['s1 cold', 's1 reused', 's2 cold']);
});

test.each<[string, number, number]>([
  ['places are few', 2, 1_000],
  ['memory is short', 9, 25],
])('those used longest ago give way where %s', async (_, maxWaiting, memoryMb) => {
  open({ maxWaiting }, memoryMb);
  let now = Date.now();
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => (now += 1));
  for (const tenant of ['ada', 'bob', 'cyd']) await use(tenant);
  clock.mockRestore();
  expect(engine.alive.map(({ name }) => name)).toEqual(['s2', 's3']);
  expect(pool.stats()).toMatchObject({ evictions: 1, leases: { cold: 3, reused: 0, warm: 0 } });
});
