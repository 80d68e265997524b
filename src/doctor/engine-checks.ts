import type { EngineFacts } from '../engine/container/engine-facts';
import { failure, pass, warning, type Check, type Verdict } from './check';
import { clockVerdict } from './clock';
import { FLOORS, reaches } from './floors';

/** What the worker's configuration asks of an engine. */
export interface EngineDemands {
  /** OCI runtime; undefined: the engine's default. */
  readonly runtime: string | undefined;
}

const MiB = 2 ** 20;
const ARCHITECTURES = ['x86_64', 'amd64', 'aarch64', 'arm64'];

const DELEGATE =
  'delegate the controllers to the user of the rootless engine (systemd: Delegate=cpu cpuset io memory pids for user@.service) and use cgroup v2';
const ROOTFUL = 'boot the kernel with its cgroup controllers on (such as cgroup_enable=memory) and restart the engine';

/** A limit that the engine says it can or cannot set; what it does not say, the probes find out. */
function limitVerdict(
  can: boolean | undefined,
  { rootless, cgroupDriver }: EngineFacts,
  what: string,
  otherwise: typeof failure | typeof warning = failure,
): Verdict {
  if (cgroupDriver === 'none') return failure(`the engine has no cgroups at all, so ${what} is not limited`, DELEGATE);
  if (can === false) return otherwise(`the engine cannot limit ${what}`, rootless ? DELEGATE : ROOTFUL);
  return pass(can === undefined ? `the engine does not say whether it limits ${what}` : `the engine limits ${what}`);
}

function floorVerdict(name: string, version: string | undefined, floors: readonly string[], remedy: string): Verdict {
  if (version === undefined) return pass(`the engine does not say which ${name} it uses`);
  if (reaches(version, floors) !== false) return pass(`${name} ${version}`);
  return warning(`${name} ${version} is older than ${floors.join(', ')}`, remedy);
}

type EngineCheck = (facts: EngineFacts, demands: EngineDemands) => Verdict;

/** What an engine's own words decide, in the order in which it is told. */
export const ENGINE_CHECKS = {
  engine: ({ version, system, containers, architecture, cpus, memoryBytes }) => {
    if (containers !== 'linux')
      return failure(`the engine makes ${containers} containers`, 'switch the engine to Linux containers');
    if (!ARCHITECTURES.includes(architecture) && architecture !== 'unknown')
      return failure(`the engine runs on ${architecture}`, `use an engine on one of ${ARCHITECTURES.join(', ')}`);
    const detail = `Docker ${version} on ${system}, ${cpus} processors, ${Math.round(memoryBytes / MiB)} MB`;
    if (reaches(version, FLOORS.engine) !== false) return pass(detail);
    return warning(detail, `upgrade the engine to ${FLOORS.engine[0]} or newer`);
  },
  runc: ({ runc }) =>
    floorVerdict(
      'runc',
      runc,
      FLOORS.runc,
      'upgrade runc, unless your distribution has put the fixes into this version',
    ),
  kernel: ({ kernel }) =>
    floorVerdict(
      'kernel',
      kernel === 'unknown' ? undefined : kernel,
      FLOORS.kernel,
      'upgrade the kernel, unless your distribution has fixed CVE-2026-31431 in this one; programs cannot reach that hole',
    ),
  cgroups: (facts) => {
    const { cgroupVersion, cgroupDriver = 'unknown driver' } = facts;
    if (cgroupDriver === 'none') return limitVerdict(false, facts, 'anything');
    const detail = `cgroup v${cgroupVersion} (${cgroupDriver})`;
    if (cgroupVersion === '2') return pass(detail);
    return warning(`${detail}: works, but systems are leaving it`, 'boot with systemd.unified_cgroup_hierarchy=1');
  },
  'memory-limit': (facts) => limitVerdict(facts.memoryLimit, facts, 'memory'),
  'swap-limit': (facts) => limitVerdict(facts.swapLimit, facts, 'swap', warning),
  'pids-limit': (facts) => limitVerdict(facts.pidsLimit, facts, 'processes'),
  'cpu-limit': (facts) => limitVerdict(facts.cpuLimit, facts, 'processor shares'),
  'seccomp-support': ({ seccomp }) => {
    if (seccomp !== false) return pass(seccomp ? 'the engine filters system calls' : 'the engine does not say');
    return failure('the engine does not filter system calls', 'use a kernel and an engine with seccomp support');
  },
  'user-namespace': ({ rootless, userNamespaces }) => {
    if (rootless) return pass('the engine runs rootless');
    return pass(
      userNamespaces
        ? 'root in a container is nobody on the host'
        : 'none: sandboxes run as user 10001 of the host, never as root',
    );
  },
  runtime: ({ runtimes, defaultRuntime = 'unknown' }, { runtime }) => {
    if (runtime === undefined) return pass(`${defaultRuntime}, the default of the engine`);
    if (runtimes.includes(runtime)) return pass(`${runtime}, by HOURGLASS_RUNTIME`);
    const known = runtimes.length === 0 ? 'none' : runtimes.join(', ');
    return failure(
      `HOURGLASS_RUNTIME is ${runtime}, which the engine does not know (it has ${known})`,
      runtime === 'runsc' ? 'run "hourglass setup --gvisor"' : 'name one of these, or register it in daemon.json',
    );
  },
  'live-restore': ({ liveRestore }) => {
    if (liveRestore !== false) return pass(liveRestore ? 'on' : 'the engine does not say');
    return warning(
      'off: a restart of the engine kills what runs, and Temporal runs it again',
      'set "live-restore": true in daemon.json',
    );
  },
  'engine-clock': ({ clockAheadMs }) => clockVerdict(clockAheadMs, 'the engine'),
} satisfies Readonly<Record<string, EngineCheck>>;

export type EngineCheckName = keyof typeof ENGINE_CHECKS;

/** Every check that the engine's own words decide. */
export function checkEngine(facts: EngineFacts, demands: EngineDemands): Check[] {
  return Object.entries(ENGINE_CHECKS).map(([name, check]) => ({ name, ...check(facts, demands) }));
}
