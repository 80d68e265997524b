import type { SandboxSizes } from '../engine/container/sizes';
import { failure, pass, warning, type Check, type Verdict } from './check';
import type { SandboxFacts } from './sandbox-facts';

/** What a sandbox has to be like, and where it runs. */
export interface SandboxDemands {
  readonly sizes: SandboxSizes;
  /** Undefined: no share is asked for. */
  readonly cpuCores: number | undefined;
  readonly uid: number;
  /** Kernel of the engine's machine; a sandbox with another one has a kernel of its own, as with gVisor. */
  readonly hostKernel: string;
}

const KILL_WARNING_MS = 1_500;
const KILL_FAILURE_MS = 5_000;
const REFUSED_CALLS = ['keyctl', 'io_uring_setup', 'splice', 'kcmp'];
const WRITABLE = { '/sandbox': 'disk', '/tmp': 'tmp', '/dev/shm': 'shm' } as const;

const ENGINE_IGNORES =
  'the engine, or something between it and the worker, drops what it is told: use an engine that carries it out';

/** The faults as one failure, or a pass. */
function allOf(faults: readonly (string | false)[], detail: string): Verdict {
  const found = faults.filter((fault) => fault !== false);
  return found.length === 0 ? pass(detail) : failure(found.join('; '), ENGINE_IGNORES);
}

function mountFaults({ mounts, kernel }: SandboxFacts, { sizes, hostKernel }: SandboxDemands): (string | false)[] {
  // A kernel of its own lists no more; without new privileges and devices of the host, the others change nothing there.
  const wanted = kernel === hostKernel ? ['noexec', 'nosuid', 'nodev'] : ['noexec'];
  return Object.entries(WRITABLE).flatMap(([path, size]) => {
    const mount = mounts[path];
    if (mount === undefined) return [`${path} is no file system of its own`];
    const missing = wanted.filter((option) => !mount.options.includes(option));
    return [
      missing.length > 0 && `${path} lacks ${missing.join(', ')}`,
      mount.bytes > sizes[size].bytes && `${path} has ${mount.bytes} bytes instead of ${sizes[size].bytes}`,
    ];
  });
}

type SandboxCheck = (facts: SandboxFacts, demands: SandboxDemands) => Verdict;

/** What one look into a sandbox decides. */
export const SANDBOX_CHECKS = {
  privileges: ({ uid, noNewPrivileges, capabilities }, demands) => {
    const held = Object.entries(capabilities).filter(([, value]) => !/^0+$/.test(value));
    return allOf(
      [
        uid !== demands.uid && `programs run as user ${uid} instead of ${demands.uid}`,
        noNewPrivileges !== null && noNewPrivileges !== 1 && 'programs may gain rights (NoNewPrivs is 0)',
        Object.keys(capabilities).length === 0 && 'capabilities cannot be read',
        held.length > 0 && `programs hold capabilities (${held.map(([name, value]) => `${name} ${value}`).join(', ')})`,
      ],
      `user ${uid}, no capability, no new privileges`,
    );
  },
  seccomp: ({ seccomp, calls, kernel }, { hostKernel }) => {
    if (kernel !== hostKernel) return pass(`system calls reach kernel ${kernel}, not the host's`);
    const passed = REFUSED_CALLS.filter((name) => calls[name] !== 'EPERM');
    return allOf(
      [
        seccomp !== 2 && `no filter is active (Seccomp is ${seccomp ?? 'absent'})`,
        passed.length > 0 && `the filter is not ours: ${passed.map((name) => `${name} ${calls[name]}`).join(', ')}`,
        calls['getpid'] !== 'OK' && `getpid reads ${calls['getpid']}`,
      ],
      `active; ${REFUSED_CALLS.join(', ')} refused`,
    );
  },
  'read-only-root': (facts, demands) =>
    allOf(
      [
        !facts.mounts['/']?.options.includes('ro') && 'the root can be written',
        facts.rootWrite === 'OK' && 'a program wrote into the root',
        ...mountFaults(facts, demands),
      ],
      'read-only; /sandbox, /tmp and /dev/shm are bounded and run nothing',
    ),
  network: ({ interfaces, connect }) => {
    const foreign = interfaces.filter((name) => name !== 'lo');
    return allOf(
      [
        foreign.length > 0 && `there is ${foreign.join(', ')}`,
        connect === 'OK' && 'a connection to the outside was made',
      ],
      'none but the loopback',
    );
  },
  cgroup: ({ cgroup, kernel }, { sizes, cpuCores, hostKernel }) => {
    if (cgroup === null && kernel !== hostKernel) return pass(`kernel ${kernel} shows no cgroup; the probes measure`);
    if (cgroup === null)
      return warning('no cgroup can be seen from inside', 'let "hourglass doctor" measure the limits');
    const { memoryBytes, pids, cpuCores: cores } = cgroup;
    return allOf(
      [
        memoryBytes !== sizes.memoryBytes &&
          `memory is ${memoryBytes ?? 'unlimited'} instead of ${sizes.memoryBytes} bytes`,
        pids !== sizes.pids && `processes are ${pids ?? 'unlimited'} instead of ${sizes.pids}`,
        cpuCores !== undefined && cores !== cpuCores && `processors are ${cores ?? 'unlimited'} instead of ${cpuCores}`,
      ],
      'memory, processes and processor share are set as asked',
    );
  },
  'time-to-kill': ({ killMs }) => {
    const detail = `a program that ignores signals was dead after ${Math.ceil(killMs)} ms`;
    if (killMs < KILL_WARNING_MS) return pass(detail);
    const remedy = 'the host is overloaded: lower MAX_CONCURRENT_EXECUTIONS, or give it more processors';
    return (killMs < KILL_FAILURE_MS ? warning : failure)(detail, remedy);
  },
} satisfies Readonly<Record<string, SandboxCheck>>;

export type SandboxCheckName = keyof typeof SANDBOX_CHECKS;

/** Every check that one look into a sandbox decides. */
export function checkSandbox(facts: SandboxFacts, demands: SandboxDemands): Check[] {
  return Object.entries(SANDBOX_CHECKS).map(([name, check]) => ({ name, ...check(facts, demands) }));
}
