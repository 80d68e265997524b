import { checkEngine, type EngineCheckName } from '../../../src/doctor/engine-checks';
import type { DockerInfo } from '../../../src/engine/container/docker-client';
import { engineFacts } from '../../../src/engine/container/engine-facts';

const NOW = Date.parse('2026-11-21T10:00:00.500Z');

/** An engine with nothing to find fault with. */
const INFO: DockerInfo = {
  ServerVersion: '29.5.1',
  OSType: 'linux',
  OperatingSystem: 'Debian GNU/Linux 13 (trixie)',
  Architecture: 'x86_64',
  KernelVersion: '7.0.3-amd64',
  NCPU: 8,
  MemTotal: 16 * 2 ** 30,
  CgroupVersion: '2',
  CgroupDriver: 'systemd',
  MemoryLimit: true,
  SwapLimit: true,
  PidsLimit: true,
  CpuCfsQuota: true,
  SecurityOptions: ['name=apparmor', 'name=seccomp,profile=builtin', 'name=cgroupns'],
  Runtimes: { runc: {}, 'io.containerd.runc.v2': {} },
  DefaultRuntime: 'runc',
  LiveRestoreEnabled: true,
  SystemTime: '2026-11-21T10:00:00.500Z',
};
const RUNC = { Components: [{ Name: 'runc', Version: '1.4.0' }] };

/** Docker Desktop's machine: cgroup v2, no live-restore, a kernel of its own. */
const DESKTOP: Partial<DockerInfo> = {
  OperatingSystem: 'Docker Desktop',
  KernelVersion: '7.1.2-linuxkit',
  Architecture: 'aarch64',
  CgroupDriver: 'cgroupfs',
  LiveRestoreEnabled: false,
  SecurityOptions: ['name=seccomp,profile=unconfined', 'name=cgroupns'],
};
const ROOTLESS = ['name=seccomp,profile=builtin', 'name=rootless', 'name=cgroupns'];

type Found = Partial<Record<EngineCheckName, string>>;

interface Case {
  readonly engine: string;
  readonly info: Partial<DockerInfo>;
  readonly runc?: string;
  readonly runtime?: string;
  /** Checks that do not pass; all others do. */
  readonly found: Found;
}

const CASES: readonly Case[] = [
  { engine: 'a sound engine', info: {}, found: {} },
  {
    engine: "Debian 12's engine",
    info: {
      ServerVersion: '20.10.24+dfsg1',
      CgroupVersion: '1',
      CgroupDriver: 'cgroupfs',
      KernelVersion: '6.1.0-37-amd64',
    },
    runc: '1.1.5+ds1',
    found: { runc: 'warning', kernel: 'warning', cgroups: 'warning' },
  },
  { engine: 'Docker Desktop', info: DESKTOP, found: { 'live-restore': 'warning' } },
  { engine: 'a rootless engine with delegated controllers', info: { SecurityOptions: ROOTLESS }, found: {} },
  {
    engine: 'a rootless engine without a share of processors',
    info: { SecurityOptions: ROOTLESS, CpuCfsQuota: false },
    found: { 'cpu-limit': 'failure' },
  },
  {
    engine: 'a rootless engine without cgroups',
    info: { SecurityOptions: ROOTLESS, CgroupDriver: 'none', CgroupVersion: '1', MemoryLimit: false, PidsLimit: false },
    found: {
      ...{ cgroups: 'failure', 'memory-limit': 'failure', 'swap-limit': 'failure' },
      ...{ 'pids-limit': 'failure', 'cpu-limit': 'failure' },
    },
  },
  {
    engine: 'a kernel without the memory controller',
    info: { MemoryLimit: false },
    found: { 'memory-limit': 'failure' },
  },
  { engine: 'a kernel without the pids controller', info: { PidsLimit: false }, found: { 'pids-limit': 'failure' } },
  { engine: 'a kernel that cannot limit swap', info: { SwapLimit: false }, found: { 'swap-limit': 'warning' } },
  { engine: 'no seccomp', info: { SecurityOptions: ['name=apparmor'] }, found: { 'seccomp-support': 'failure' } },
  { engine: 'a runtime that is not there', info: {}, runtime: 'runsc', found: { runtime: 'failure' } },
  { engine: 'a runtime that is there', info: { Runtimes: { runc: {}, runsc: {} } }, runtime: 'runsc', found: {} },
  { engine: 'Windows containers', info: { OSType: 'windows' }, found: { engine: 'failure' } },
  { engine: 'a processor without a filter of ours', info: { Architecture: 's390x' }, found: { engine: 'failure' } },
  { engine: 'an engine of 2019', info: { ServerVersion: '19.03.15' }, found: { engine: 'warning' } },
  { engine: 'a clock behind', info: { SystemTime: '2026-11-21T09:59:50Z' }, found: { 'engine-clock': 'warning' } },
  { engine: 'a clock far ahead', info: { SystemTime: '2026-11-21T11:00:00Z' }, found: { 'engine-clock': 'failure' } },
  {
    engine: 'an engine that says little',
    info: {
      ...{ SecurityOptions: null, MemoryLimit: undefined, PidsLimit: undefined, CpuCfsQuota: undefined },
      ...{ SystemTime: undefined, LiveRestoreEnabled: undefined, KernelVersion: undefined, Architecture: undefined },
      ...{ DefaultRuntime: undefined, Runtimes: undefined, OSType: undefined },
    },
    found: {},
  },
];

test.each(CASES)('R46: $engine: every check that does not pass is named', ({ info, runc, runtime, found }) => {
  const version = runc === undefined ? RUNC : { Components: [{ Name: 'runc', Version: runc }] };
  const facts = engineFacts({ ...INFO, ...info }, version, { askedAt: NOW - 20, answeredAt: NOW + 20 });
  const checks = checkEngine(facts, { runtime });
  const notPassed = checks.filter(({ status }) => status !== 'pass');
  expect(Object.fromEntries(notPassed.map(({ name, status }) => [name, status]))).toEqual(found);
  for (const { remedy } of notPassed) expect(remedy).toEqual(expect.any(String));
});

test('R46: an old engine, runc or kernel is named with its version', () => {
  const facts = engineFacts(
    { ...INFO, KernelVersion: '6.1.0-37-amd64' },
    { Components: [{ Name: 'runc', Version: '1.1.5+ds1' }] },
    { askedAt: NOW, answeredAt: NOW },
  );
  const details = checkEngine(facts, { runtime: undefined }).map(({ detail }) => detail);
  expect(details).toContain('runc 1.1.5+ds1 is older than 1.2.8, 1.3.3, 1.4.0');
  expect(details).toContain('kernel 6.1.0-37-amd64 is older than 6.18.22, 6.19.12, 7.0');
});
