import { randomUUID } from 'node:crypto';
import { loadConfig } from '../../src/config';
import type { Verdict } from '../../src/doctor/check';
import { PROBE_SPEC, type ProbePlace } from '../../src/doctor/probe';
import { checkSandbox, type SandboxCheckName } from '../../src/doctor/sandbox-checks';
import { askSandbox } from '../../src/doctor/sandbox-facts';
import { probeKill, probeLimit, type LimitName } from '../../src/doctor/sandbox-limits';
import { createContainerEngine } from '../../src/engine/container';
import { SANDBOX_UID } from '../../src/engine/container/hardening';
import { sandboxSizes } from '../../src/engine/container/sizes';
import { SILENT } from '../../src/telemetry/log';
import { MeddlingEngine, type Json, type Meddling } from '../support/meddling-engine';
import { patience } from '../support/patience';
import { containersOf } from '../support/hostile-host';

const OWNER = { hostId: `test-${randomUUID()}`, workerId: randomUUID() };

/** Uses an engine that something meddles with; no sandbox is left. */
async function behind<T>(meddling: Meddling, use: (place: ProbePlace) => Promise<T>): Promise<T> {
  const proxy = await MeddlingEngine.start(meddling);
  const engine = createContainerEngine(loadConfig({ env: { DOCKER_HOST: proxy.dockerHost } }), SILENT);
  try {
    const { signal } = new AbortController();
    return await use({ engine, owner: OWNER, bootTimeoutMs: patience(30_000), signal });
  } finally {
    await engine.close();
    await proxy.close();
    expect(await containersOf(OWNER.hostId)).toEqual([]);
  }
}

/** Without some flags of the host configuration, or with others. */
const told =
  (change: (host: Json) => Json): NonNullable<Meddling['create']> =>
  (body) => {
    const changed = change(body.HostConfig);
    return { ...body, NetworkDisabled: !('NetworkMode' in changed), HostConfig: { ...body.HostConfig, ...changed } };
  };

const sandboxMount = (host: Json): string => (host['Tmpfs'] as Record<string, string>)['/sandbox'] ?? '';
const remounted =
  (change: (options: string) => string) =>
  (host: Json): Json => ({ Tmpfs: { ...(host['Tmpfs'] as Json), '/sandbox': change(sandboxMount(host)) } });

async function lookInside(meddling: Meddling): Promise<Readonly<Record<string, Verdict>>> {
  return behind(meddling, async (place) => {
    const { kernel } = await place.engine.facts();
    const demands = { sizes: sandboxSizes(PROBE_SPEC), cpuCores: 1, uid: SANDBOX_UID, hostKernel: kernel };
    const checks = checkSandbox(await askSandbox(place), demands);
    return Object.fromEntries(checks.map(({ name, ...verdict }) => [name, verdict]));
  });
}

const failed = (detail: string): unknown => ({
  status: 'failure',
  detail: expect.stringContaining(detail) as string,
  remedy: expect.any(String) as string,
});

test('a look into a sandbox of a sound engine finds every promise kept', async () => {
  const verdicts = Object.values(await lookInside({}));
  expect(verdicts.filter(({ status }) => status === 'failure')).toEqual([]);
});

const NO_MEMORY_LIMIT = { Memory: 0, MemorySwap: 0 };

test.each<[string, SandboxCheckName, (host: Json) => Json, string]>([
  ['its filter of system calls', 'seccomp', () => ({ SecurityOpt: ['no-new-privileges:true'] }), 'splice OK'],
  [
    'any filter of system calls',
    'seccomp',
    () => ({ SecurityOpt: ['no-new-privileges:true', 'seccomp=unconfined'] }),
    'no filter is active (Seccomp is 0)',
  ],
  [
    'no-new-privileges',
    'privileges',
    ({ SecurityOpt }) => ({ SecurityOpt: (SecurityOpt as string[]).filter((option) => option.startsWith('seccomp')) }),
    'NoNewPrivs is 0',
  ],
  ['the drop of capabilities', 'privileges', () => ({ CapDrop: [] }), 'CapBnd'],
  ['a read-only root', 'read-only-root', () => ({ ReadonlyRootfs: false }), 'the root can be written'],
  ['noexec', 'read-only-root', remounted((options) => options.replace('noexec', 'exec')), '/sandbox lacks noexec'],
  [
    'the bound of its disk',
    'read-only-root',
    remounted((options) => options.replace(/size=\d+/, 'size=512m')),
    'bytes',
  ],
  ['its isolation from networks', 'network', () => ({ NetworkMode: 'bridge' }), 'there is eth0'],
  ['its limit of memory', 'cgroup', () => NO_MEMORY_LIMIT, 'memory is'],
  ['its limit of processes', 'cgroup', () => ({ PidsLimit: 0 }), 'processes are unlimited'],
  ['its processor share', 'cgroup', () => ({ CpuPeriod: 0, CpuQuota: 0 }), 'processors are unlimited'],
])('R08: a look into a sandbox without %s fails as %s', async (_, name, change, detail) => {
  expect((await lookInside({ create: told(change) }))[name]).toEqual(failed(detail));
});

test.each<[LimitName, (host: Json) => Json, string]>([
  ['memory', () => NO_MEMORY_LIMIT, 'a program of 128 MB took 256 MB'],
  ['disk', remounted((options) => options.replace(/size=\d+/, 'size=32m')), 'no end after 16.0 MB'],
  ['inodes', remounted((options) => options.replace(/nr_inodes=\d+/, 'nr_inodes=50000')), 'no end after 2048 files'],
  ['pids', () => ({ PidsLimit: 0 }), 'no end after 74 processes'],
  ['cpu', () => ({ CpuPeriod: 0, CpuQuota: 0 }), 'four busy loops'],
  ['output', () => ({ LogConfig: { Type: 'json-file', Config: {} } }), 'into a file'],
])('R08: the probe of %s passes with the limit and fails without it', async (name, change, detail) => {
  const sound = await behind({}, (place) => probeLimit(place, name));
  // A host that is busy enough bounds a program by itself; the probe says so.
  expect(name === 'cpu' && sound.status === 'warning' ? 'pass' : sound.status).toBe('pass');
  const broken = await behind({ create: told(change) }, (place) => probeLimit(place, name));
  expect(broken).toEqual(failed(detail));
});

test('R08: an engine that says it has killed a sandbox and has not is found out', async () => {
  expect(await behind({}, probeKill)).toMatchObject({ status: 'pass' });
  expect(await behind({ swallowsKills: true }, probeKill)).toEqual(failed('was alive'));
});

test('R12: a probe that is interrupted rejects with the reason and leaves nothing', async () => {
  const controller = new AbortController();
  const reason = new Error('interrupted');
  await behind({}, async (place) => {
    const running = probeLimit({ ...place, signal: controller.signal }, 'cpu');
    setTimeout(() => controller.abort(reason), 300);
    await expect(running).rejects.toBe(reason);
  });
});
