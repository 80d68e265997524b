import type { SandboxSpec } from '../engine';
import profile from '../../../infra/seccomp.json';
import type { CreateBody, HostConfig } from './create-body';
import { sandboxSizes, type SandboxSizes, type TmpfsSize } from './sizes';

/** Numeric user and group of everything in a sandbox; the image names them `sandbox`. */
export const SANDBOX_UID = 10001;
const USER = `${SANDBOX_UID}:${SANDBOX_UID}`;
const HOSTNAME = 'sandbox';
const WORKING_DIR = '/sandbox';
/** Shorter than the kernel's default of 100 ms: a throttled guest answers sooner. */
const CPU_PERIOD_US = 50_000;
const OPEN_FILES = 1_024;
/** Above the worker's and the engine's own score: where the host runs out of memory, sandboxes go first. */
const OOM_SCORE_ADJ = 500;

/** What says something about the host and nothing that a program needs; newer engines mask a part of it by default. */
const MASKED_PATHS = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/cmdline',
  '/proc/config.gz',
  '/proc/diskstats',
  '/proc/interrupts',
  '/proc/iomem',
  '/proc/ioports',
  '/proc/kallsyms',
  '/proc/kcore',
  '/proc/key-users',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/modules',
  '/proc/partitions',
  '/proc/sched_debug',
  '/proc/schedstat',
  '/proc/scsi',
  '/proc/softirqs',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/sys/devices/virtual/powercap',
  '/sys/firmware',
];
const READONLY_PATHS = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/** What decides a container besides the spec; all of it comes from the operator or from us. */
export interface ContainerPlan {
  readonly image: string;
  readonly spec: SandboxSpec;
  /** OCI runtime; undefined: the engine's default. */
  readonly runtime: string | undefined;
  readonly leaseMs: number;
  readonly labels: Readonly<Record<string, string>>;
  /** A run waits for the sandbox. Default: false. */
  readonly hurry?: boolean | undefined;
}

/** One flag: what it stops and what it costs a program. */
interface Flag<Value> {
  readonly stops: string;
  readonly costs: string;
  readonly value: (sizes: SandboxSizes, plan: ContainerPlan) => Value;
}

/** Every flag of the host configuration; the compiler completes the table. */
export const FLAGS: { readonly [Field in keyof HostConfig]: Flag<HostConfig[Field]> } = {
  Memory: {
    stops: 'taking the memory of the host or of another sandbox',
    costs: 'a program beyond its limit is killed',
    value: (sizes) => sizes.memoryBytes,
  },
  MemorySwap: {
    stops: 'passing the limit by swapping, and slowing the host down with it',
    costs: 'nothing: memory is the limit either way',
    value: (sizes) => sizes.memoryBytes,
  },
  CpuPeriod: {
    stops: 'long pauses of a throttled guest, which has to end the program in time',
    costs: 'shorter bursts at full speed',
    value: () => CPU_PERIOD_US,
  },
  CpuQuota: {
    stops: 'taking the processors from the host or from another sandbox',
    costs: 'a program beyond its share waits',
    value: (_, { spec }) => Math.round(spec.cpuCores * CPU_PERIOD_US),
  },
  PidsLimit: {
    stops: 'fork bombs filling the process table of the host',
    costs: 'a program with too many processes and threads reads EAGAIN',
    value: (sizes) => sizes.pids,
  },
  OomScoreAdj: {
    stops: 'the host killing its own services where its memory ends',
    costs: 'sandboxes go first there',
    value: () => OOM_SCORE_ADJ,
  },
  Ulimits: {
    stops: 'core dumps, endless descriptors, files larger than the memory, message queues that outlive a process',
    costs: 'sparse files beyond the memory limit read EFBIG',
    value: (sizes) => [
      { Name: 'core', Soft: 0, Hard: 0 },
      { Name: 'fsize', Soft: sizes.memoryBytes, Hard: sizes.memoryBytes },
      { Name: 'msgqueue', Soft: 0, Hard: 0 },
      { Name: 'nofile', Soft: OPEN_FILES, Hard: OPEN_FILES },
    ],
  },
  ReadonlyRootfs: {
    stops: 'changing the system that runs, and filling the disk of the host',
    costs: 'only /sandbox, /tmp and /dev/shm are writable',
    value: () => true,
  },
  Tmpfs: {
    stops: 'filling the disk of the host, by bytes or by inodes; native programs, devices and set-id files on it',
    costs: 'files are gone at the end, count as memory, and `./x.sh` has to be `bash x.sh`',
    value: ({ disk, tmp, shm }) => ({
      [WORKING_DIR]: tmpfs(disk, `uid=${SANDBOX_UID},gid=${SANDBOX_UID},mode=0755`),
      '/tmp': tmpfs(tmp, 'mode=1777'),
      '/dev/shm': tmpfs(shm, 'mode=1777'),
    }),
  },
  ShmSize: {
    stops: 'a second /dev/shm of the default size of 64 MB',
    costs: 'shared memory is small',
    value: ({ shm }) => shm.bytes,
  },
  NetworkMode: {
    stops: 'reaching anything outside: hosts, metadata services, name servers, other sandboxes',
    costs: 'only the loopback of the sandbox itself is there',
    value: () => 'none',
  },
  Dns: {
    stops: 'learning the name servers of the host from /etc/resolv.conf',
    costs: 'nothing: without a network no name server answers',
    value: () => ['127.0.0.1'],
  },
  DnsSearch: {
    stops: 'learning the domain of the host from /etc/resolv.conf',
    costs: 'nothing',
    value: () => ['.'],
  },
  IpcMode: {
    stops: 'sharing memory and queues with other containers',
    costs: 'nothing',
    value: () => 'private',
  },
  CgroupnsMode: {
    stops: 'learning the place of the container in the host',
    costs: 'nothing',
    value: () => 'private',
  },
  CapDrop: {
    stops: 'every privileged operation',
    costs: 'no raw sockets, no changing of owners, no low ports',
    value: () => ['ALL'],
  },
  Privileged: { stops: 'all of this being void', costs: 'nothing', value: () => false },
  SecurityOpt: {
    stops: 'gaining rights through set-id files; system calls that no program needs and that kernels fall by',
    costs: 'see infra/seccomp.md',
    value: () => ['no-new-privileges:true', `seccomp=${JSON.stringify(profile)}`],
  },
  MaskedPaths: {
    stops: 'reading hardware and kernel state of the host',
    costs: 'these files look empty',
    value: () => MASKED_PATHS,
  },
  ReadonlyPaths: {
    stops: 'writing kernel settings',
    costs: 'nothing: only root could',
    value: () => READONLY_PATHS,
  },
  LogConfig: {
    stops: 'output filling the disk of the host through a log file',
    costs: '`docker logs` has nothing to show',
    value: () => ({ Type: 'none', Config: {} }),
  },
  RestartPolicy: {
    stops: 'a sandbox that comes back after its end',
    costs: 'nothing',
    value: () => ({ Name: 'no', MaximumRetryCount: 0 }),
  },
  AutoRemove: {
    stops: 'losing how a container ended before we asked',
    costs: 'we remove every container ourselves',
    value: () => false,
  },
  Init: { stops: 'a foreign process being PID 1 in place of the guest', costs: 'nothing', value: () => false },
  Runtime: {
    stops: 'with `runsc`: kernel bugs of the host, which every other flag leaves reachable',
    costs: 'slower system calls, see the table of what holds there',
    value: (_, { runtime }) => runtime,
  },
};

/**
 * Everything the engine is told about a sandbox: the one function that creates containers from specs.
 *
 * Reads named fields of the spec only, so nothing else that a caller may have put there reaches the engine.
 */
export function createBody(plan: ContainerPlan): CreateBody {
  const { spec, leaseMs, hurry } = plan;
  const preload = spec.preload.length === 0 ? [] : ['--preload', spec.preload.join(',')];
  return {
    Image: plan.image,
    Cmd: ['--runtime', spec.runtime, ...preload, '--lease-ms', String(leaseMs), ...(hurry ? ['--hurry', 'yes'] : [])],
    User: USER,
    WorkingDir: WORKING_DIR,
    Hostname: HOSTNAME,
    // Beside `NetworkMode`: the engine sets up no network at all then, which costs it more than all the rest of a start.
    // The container has a network namespace of its own either way, with a loopback that the runtime brings up.
    NetworkDisabled: true,
    Env: [],
    Labels: plan.labels,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: true,
    // A worker that dies does not close the guest's stdin: the next one attaches to it again.
    StdinOnce: false,
    Tty: false,
    StopSignal: 'SIGKILL',
    StopTimeout: 1,
    Healthcheck: { Test: ['NONE'] },
    HostConfig: hostConfig(plan),
  };
}

function hostConfig(plan: ContainerPlan): HostConfig {
  const sizes = sandboxSizes(plan.spec);
  const entries = Object.entries(FLAGS).map(([field, flag]) => [field, flag.value(sizes, plan)] as const);
  return Object.fromEntries(entries) as unknown as HostConfig;
}

function tmpfs({ bytes, inodes }: TmpfsSize, access: string): string {
  return `rw,noexec,nosuid,nodev,size=${bytes},nr_inodes=${inodes},${access}`;
}
