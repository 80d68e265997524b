import type { SandboxSpec } from '../../../../src/engine/engine';
import { createBody, FLAGS } from '../../../../src/engine/container/hardening';
import { containerMemoryMb, guestMemoryMb } from '../../../../src/engine/container/sizes';
import { sandboxKey } from '../../../../src/engine/sandbox-spec';

const SPEC: SandboxSpec = {
  runtime: 'python',
  preload: ['numpy', 'pandas'],
  memoryMb: 256,
  diskMb: 128,
  cpuCores: 0.5,
  maxPids: 100,
};
const plan = (spec: SandboxSpec) => ({ image: 'image:1', spec, runtime: undefined, leaseMs: 60_000, labels: {} });
const MiB = 1024 * 1024;
/** Memory of a program that does nothing but write files. */
const SMALL_PROGRAM_MB = 3;

test('every flag says what it stops and what it costs', () => {
  for (const flag of Object.values(FLAGS)) {
    expect(flag.stops.length).toBeGreaterThan(10);
    expect(flag.costs.length).toBeGreaterThan(5);
  }
});

test('R02, R03, R07: a sandbox has no network, no capabilities, no log and a root that is read-only', () => {
  expect(createBody(plan(SPEC))).toMatchObject({
    User: '10001:10001',
    Hostname: 'sandbox',
    NetworkDisabled: true,
    Tty: false,
    OpenStdin: true,
    StdinOnce: false,
    HostConfig: {
      NetworkMode: 'none',
      CapDrop: ['ALL'],
      Privileged: false,
      ReadonlyRootfs: true,
      IpcMode: 'private',
      LogConfig: { Type: 'none' },
      PidsLimit: 101,
    },
  });
});

test('the guest is told its runtime, what to preload and its lease', () => {
  expect(createBody(plan(SPEC)).Cmd).toEqual([
    '--runtime',
    'python',
    '--preload',
    'numpy,pandas',
    '--lease-ms',
    '60000',
  ]);
  expect(createBody(plan({ ...SPEC, runtime: 'shell', preload: [] })).Cmd).toEqual([
    '--runtime',
    'shell',
    '--lease-ms',
    '60000',
  ]);
});

test('a guest that a run waits for is told to hurry', () => {
  expect(createBody({ ...plan(SPEC), hurry: true }).Cmd.slice(-2)).toEqual(['--hurry', 'yes']);
});

test('R04: the seccomp profile is passed as a whole, whatever the engine has as its default', () => {
  const [privileges, seccomp] = createBody(plan(SPEC)).HostConfig.SecurityOpt;
  expect(privileges).toBe('no-new-privileges:true');
  expect(JSON.parse(seccomp?.replace('seccomp=', '') ?? '')).toMatchObject({ defaultAction: 'SCMP_ACT_ERRNO' });
});

describe('whatever a caller puts into a spec', () => {
  const clean = createBody(plan(SPEC));
  const strange = {
    Image: 'evil',
    image: 'evil',
    HostConfig: { Privileged: true, Binds: ['/:/host'] },
    Binds: ['/:/host'],
    Privileged: true,
    User: '0:0',
    NetworkMode: 'host',
    Env: ['LD_PRELOAD=/tmp/x.so'],
    CapAdd: ['SYS_ADMIN'],
    Devices: [{ PathOnHost: '/dev/sda' }],
    Runtime: 'other',
    __proto__: { Privileged: true },
    constructor: { Privileged: true },
    toJSON: () => ({ Privileged: true }),
  };

  test.each(Object.entries(strange))('R01: %s does not reach the engine', (name, value) => {
    const spec = { ...SPEC, [name]: value };
    expect(createBody(plan(spec))).toEqual(clean);
    expect(sandboxKey(spec)).toBe(sandboxKey(SPEC));
  });

  test('R01: nor does it on the prototype of the spec', () => {
    const spec = Object.assign(Object.create(strange) as SandboxSpec, SPEC);
    expect(createBody(plan(spec))).toEqual(clean);
  });
});

describe('memory', () => {
  test('R05: the container has what the guest needs on top of what the program asked for', () => {
    const { Memory, MemorySwap } = createBody(plan(SPEC)).HostConfig;
    expect(Memory).toBe((256 + guestMemoryMb(SPEC)) * MiB);
    expect(MemorySwap).toBe(Memory);
  });

  test.each([
    [256, 128, 0],
    [256, 129, 1],
    [256, 1_024, 896],
    [64, 32, 0],
    [65, 33, 1],
  ])('with %i MB of memory, a disk of %i MB adds %i MB', (memoryMb, diskMb, added) => {
    const spec = { ...SPEC, memoryMb, diskMb };
    expect(containerMemoryMb(spec)).toBe(memoryMb + guestMemoryMb(spec) + added);
  });

  const sizes = [32, 64, 128, 256, 1_024, 4_096].flatMap((memoryMb) =>
    [1, memoryMb / 2, memoryMb, 4 * memoryMb].map((diskMb) => [memoryMb, diskMb] as const),
  );
  test.each(sizes)(
    '%i MB of memory hold a full disk of %i MB, a full /tmp, a full /dev/shm and all their inodes',
    (memoryMb, diskMb) => {
      const { Memory, Tmpfs } = createBody(plan({ ...SPEC, memoryMb, diskMb })).HostConfig;
      const used = ['/sandbox', '/tmp', '/dev/shm'].map((path) => {
        const option = (name: string): number => Number(new RegExp(`${name}=(\\d+)`).exec(Tmpfs[path] ?? '')?.[1]);
        return option('size') + 1_024 * option('nr_inodes');
      });
      const left = Memory - used.reduce((sum, bytes) => sum + bytes, 0);
      expect(left).toBeGreaterThan((guestMemoryMb(SPEC) + SMALL_PROGRAM_MB) * MiB);
    },
  );

  test('R02: every writable place is bounded and runs nothing', () => {
    const { Tmpfs } = createBody(plan(SPEC)).HostConfig;
    expect(Object.keys(Tmpfs)).toEqual(['/sandbox', '/tmp', '/dev/shm']);
    for (const options of Object.values(Tmpfs)) {
      expect(options).toMatch(/^rw,noexec,nosuid,nodev,size=\d+,nr_inodes=\d+,/);
    }
  });
});

test.each([
  [0.1, 5_000],
  [0.5, 25_000],
  [4, 200_000],
])('%d cores are a quota of %i microseconds', (cpuCores, quota) => {
  expect(createBody(plan({ ...SPEC, cpuCores })).HostConfig).toMatchObject({ CpuPeriod: 50_000, CpuQuota: quota });
});
