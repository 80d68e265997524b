import { loadConfig } from '../../src/config';
import { openWorkerHost } from '../../src/worker-host';
import { createLog } from '../../src/telemetry/log';
import { MeddlingEngine, type Json, type Meddling } from '../support/meddling-engine';
import { containersOf } from '../support/hostile-host';
import { loadHostId } from '../../src/leases/host-id';
import { openLeaseStore } from '../../src/leases/lmdb-lease-store';
import { WorkerPlace, type Settings } from '../support/test-worker';

const place = new WorkerPlace('127.0.0.1:1', { HOURGLASS_PREWARM: 'none' });

afterAll(() => place.remove());

/** Opens a worker's host behind an engine that something meddles with; what it comes to, and the checks that it logs. */
async function start(meddling: Meddling, settings: Settings = {}): Promise<{ failure: unknown; logged: string[] }> {
  const proxy = await MeddlingEngine.start(meddling);
  const env = { ...place.settings, DOCKER_HOST: proxy.dockerHost, ...settings };
  const logged: string[] = [];
  const write = (line: string): void => {
    const { check } = JSON.parse(line) as { check?: string };
    if (check !== undefined) logged.push(check);
  };
  const log = createLog({ level: 'warn', format: 'json', write });
  try {
    const host = await openWorkerHost(loadConfig({ env, cwd: place.dir }), { log });
    await host.close(0);
    return { failure: undefined, logged };
  } catch (failure) {
    return { failure, logged };
  } finally {
    await proxy.close();
  }
}

/** Neither a sandbox nor the word that a worker lives is left. */
afterEach(async () => {
  const { stateDir } = place.config;
  expect(await containersOf(await loadHostId(stateDir))).toEqual([]);
  const store = await openLeaseStore(stateDir);
  expect(store.workers()).toEqual([]);
  await store.close();
});

const info =
  (change: Json): NonNullable<Meddling['info']> =>
  (facts) => ({ ...facts, ...change });
const told =
  (change: Json): NonNullable<Meddling['create']> =>
  (body) => ({ ...body, NetworkDisabled: !('NetworkMode' in change), HostConfig: { ...body.HostConfig, ...change } });
const relabelled = (facts: Json): Json => ({
  ...facts,
  Config: { ...(facts['Config'] as Json), Labels: { 'io.hourglass.image': 'another' } },
});

test('R08: a host that keeps every promise serves', async () => {
  expect((await start({})).failure).toBeUndefined();
});

test.each<[check: string, Meddling]>([
  ['memory-limit', { info: info({ MemoryLimit: false }) }],
  ['pids-limit', { info: info({ PidsLimit: false }) }],
  ['cpu-limit', { info: info({ CpuCfsQuota: false }) }],
  ['cgroups', { info: info({ CgroupDriver: 'none' }) }],
  ['seccomp-support', { info: info({ SecurityOptions: ['name=apparmor'] }) }],
  ['engine', { info: info({ OSType: 'windows' }) }],
  ['image', { image: relabelled }],
  ['seccomp', { create: told({ SecurityOpt: ['no-new-privileges:true'] }) }],
  ['privileges', { create: told({ CapDrop: [] }) }],
  ['network', { create: told({ NetworkMode: 'bridge' }) }],
  ['cgroup', { create: told({ PidsLimit: 0 }) }],
])('R08: a worker refuses to serve where %s does not hold, and says so', async (check, meddling) => {
  const { failure } = await start(meddling);
  expect(failure).toMatchObject({
    name: 'HostUnfitError',
    message: expect.stringMatching(new RegExp(`^  ${check}: .+; .+`, 'm')) as string,
  });
});

test('R12: a refusal leaves nothing of the sandboxes that were to be warm', async () => {
  const warm = { HOURGLASS_PREWARM: 'python,shell', HOURGLASS_WARM_PER_KEY: '1' };
  const { failure } = await start({ create: told({ NetworkMode: 'bridge' }) }, warm);
  expect(failure).toMatchObject({ name: 'HostUnfitError' });
});

test('R08: a runtime that the engine does not know is the fault of a setting', async () => {
  expect((await start({}, { HOURGLASS_RUNTIME: 'no-such' })).failure).toMatchObject({
    name: 'HostMisconfiguredError',
    message: expect.stringContaining('HOURGLASS_RUNTIME is no-such') as string,
  });
});

test('R46: an old runc is logged by name, and the worker serves', async () => {
  const { failure, logged } = await start({ runc: '1.1.4' });
  expect(failure).toBeUndefined();
  expect(logged).toEqual(['runc']);
});

describe('an engine that cannot give shares of processors, and drops them', () => {
  const engine: Meddling = {
    info: info({ CpuCfsQuota: false }),
    create: told({ CpuPeriod: 0, CpuQuota: 0 }),
    showsTruth: true,
  };

  test('R08: serves where the operator accepts that', async () => {
    const { failure, logged } = await start(engine, { HOURGLASS_ACCEPT: 'cpu-limit' });
    expect(failure).toBeUndefined();
    expect(logged).toContain('cpu-limit');
  });

  test('R08: is refused where the limit is there and does not take hold, accepted or not', async () => {
    const lying: Meddling = { create: told({ CpuPeriod: 0, CpuQuota: 0 }) };
    const { failure } = await start(lying, { HOURGLASS_ACCEPT: 'cpu-limit' });
    expect(failure).toMatchObject({ message: expect.stringContaining('processors are unlimited') as string });
  });
});
