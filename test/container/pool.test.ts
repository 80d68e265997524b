import { randomUUID } from 'node:crypto';
import { loadConfig } from '../../src/config';
import { createContainerEngine, type ContainerEngine } from '../../src/engine/container';
import type { SandboxSpec } from '../../src/engine/engine';
import { createWarmPool, type WarmPool } from '../../src/pool';
import { SILENT } from '../../src/telemetry/log';
import { eventually } from '../support/eventually';

const SPEC: SandboxSpec = { runtime: 'shell', preload: [], memoryMb: 64, diskMb: 32, cpuCores: 1, maxPids: 64 };
const OWNER = { hostId: `test-${randomUUID()}`, workerId: randomUUID() };
const CONFIG = loadConfig({ cwd: process.cwd(), env: { ...process.env, HOURGLASS_PREWARM: 'shell' } });

let engine: ContainerEngine;
let pool: WarmPool;
const never = (): AbortSignal => new AbortController().signal;

async function mine(): Promise<string[]> {
  const listed = await engine.listContainers();
  return listed.filter(({ origin }) => origin?.hostId === OWNER.hostId).map(({ name }) => name);
}

beforeEach(async () => {
  engine = createContainerEngine(CONFIG, SILENT);
  pool = await createWarmPool(CONFIG, engine, OWNER, SILENT);
  pool.start();
});

afterEach(async () => {
  await pool.drain(0);
  expect(await mine()).toEqual([]);
  await engine.close();
});

test('the second use of a spec finds a warm sandbox, and never the one that was used', async () => {
  const first = await pool.lease(SPEC, never());
  await pool.release(first.sandbox);
  expect(await mine()).not.toContain(first.sandbox.name);
  await eventually(
    () => pool.stats().slots,
    ({ warm, starting }) => warm === 2 && starting === 0,
  );
  const second = await pool.lease(SPEC, never());
  expect(second.startKind).toBe('warm');
  expect(second.sandbox.containerId).not.toBe(first.sandbox.containerId);
});

test('a warm sandbox that somebody removed is replaced before anybody gets it', async () => {
  await pool.release((await pool.lease(SPEC, never())).sandbox);
  await eventually(
    () => pool.stats().slots,
    ({ warm, starting }) => warm === 2 && starting === 0,
  );
  const listed = await engine.listContainers();
  const warm = listed.filter(({ origin }) => origin?.workerId === OWNER.workerId);
  await Promise.all(warm.map(({ id }) => engine.removeContainer(id)));
  await eventually(
    () => pool.stats(),
    ({ deaths, slots }) => deaths === 2 && slots.warm === 2,
  );
  const { sandbox, channel } = await pool.lease(SPEC, never());
  expect(warm.map(({ id }) => id)).not.toContain(sandbox.containerId);
  await channel.send('RENEW', 0, { leaseMs: 60_000 });
});

test('draining while sandboxes boot leaves nothing, and says so to those who wait', async () => {
  const leases = [pool.lease(SPEC, never()), pool.lease(SPEC, never())];
  const refused = leases.map((lease) => expect(lease).rejects.toMatchObject({ code: 'WORKER_SHUTDOWN' }));
  await pool.drain(0);
  await Promise.all(refused);
});
