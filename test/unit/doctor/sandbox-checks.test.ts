import { checkSandbox, type SandboxCheckName } from '../../../src/doctor/sandbox-checks';
import type { SandboxFacts } from '../../../src/doctor/sandbox-facts';
import { PROBE_SPEC } from '../../../src/doctor/probe';
import { sandboxSizes } from '../../../src/engine/container/sizes';

const SIZES = sandboxSizes(PROBE_SPEC);
const DEMANDS = { sizes: SIZES, cpuCores: 1, uid: 10_001, hostKernel: '6.18.44' };
const SAFE = ['rw', 'nosuid', 'nodev', 'noexec'];
const ZERO = '0000000000000000';

/** A sandbox that keeps every promise. */
const SOUND: SandboxFacts = {
  kernel: '6.18.44',
  uid: 10_001,
  seccomp: 2,
  noNewPrivileges: 1,
  capabilities: { CapInh: ZERO, CapPrm: ZERO, CapEff: ZERO, CapBnd: ZERO, CapAmb: ZERO },
  calls: { keyctl: 'EPERM', io_uring_setup: 'EPERM', splice: 'EPERM', kcmp: 'EPERM', getpid: 'OK' },
  rootWrite: 'EROFS',
  mounts: {
    '/': { kind: 'overlay', options: ['ro'], bytes: 1e12, inodes: 1e6 },
    '/sandbox': { kind: 'tmpfs', options: SAFE, ...SIZES.disk },
    '/tmp': { kind: 'tmpfs', options: SAFE, ...SIZES.tmp },
    '/dev/shm': { kind: 'tmpfs', options: SAFE, ...SIZES.shm },
  },
  interfaces: ['lo'],
  connect: 'ENETUNREACH',
  cgroup: { memoryBytes: SIZES.memoryBytes, pids: SIZES.pids, cpuCores: 1 },
  killMs: 5,
};

/** A sandbox of gVisor: its own kernel, without filter and cgroup. */
const OWN_KERNEL: Partial<SandboxFacts> = {
  kernel: '4.4.0',
  seccomp: 0,
  calls: { ...SOUND.calls, splice: 'OK', kcmp: 'ENOSYS' },
  cgroup: null,
};

const CASES: readonly [what: string, facts: Partial<SandboxFacts>, found: Partial<Record<SandboxCheckName, string>>][] =
  [
    ['keeps every promise', {}, {}],
    ['has a kernel of its own', OWN_KERNEL, {}],
    ['runs as another user', { uid: 0 }, { privileges: 'failure' }],
    ['has a capability', { capabilities: { CapBnd: '0000000000000400' } }, { privileges: 'failure' }],
    ['does not show its capabilities', { capabilities: {} }, { privileges: 'failure' }],
    ['may gain rights', { noNewPrivileges: 0 }, { privileges: 'failure' }],
    ['has no filter', { seccomp: 0 }, { seccomp: 'failure' }],
    ['has a filter of somebody else', { calls: { ...SOUND.calls, splice: 'OK' } }, { seccomp: 'failure' }],
    ['refuses everything', { calls: { ...SOUND.calls, getpid: 'EPERM' } }, { seccomp: 'failure' }],
    ['lets programs write the root', { rootWrite: 'OK' }, { 'read-only-root': 'failure' }],
    ['has no disk of its own', { mounts: { '/': SOUND.mounts['/'] ?? never() } }, { 'read-only-root': 'failure' }],
    ['has another interface', { interfaces: ['lo', 'eth0'] }, { network: 'failure' }],
    ['reaches the outside', { connect: 'OK' }, { network: 'failure' }],
    ['has no limit of memory', { cgroup: { memoryBytes: null, pids: SIZES.pids, cpuCores: 1 } }, { cgroup: 'failure' }],
    ['shows no cgroup', { cgroup: null }, { cgroup: 'warning' }],
    ['dies late', { killMs: 2_000 }, { 'time-to-kill': 'warning' }],
    ['does not die', { killMs: 5_001 }, { 'time-to-kill': 'failure' }],
  ];

function never(): never {
  throw new Error('the sound sandbox has a root');
}

test.each(CASES)('R08: a sandbox that %s: every check that does not pass is named', (_, facts, found) => {
  const notPassed = checkSandbox({ ...SOUND, ...facts }, DEMANDS).filter(({ status }) => status !== 'pass');
  expect(Object.fromEntries(notPassed.map(({ name, status }) => [name, status]))).toEqual(found);
});
