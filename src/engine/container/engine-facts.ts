import type { DockerInfo, DockerVersion } from './docker-client';

/** What an engine says about itself, in our words. Undefined: this engine does not say. */
export interface EngineFacts {
  readonly version: string;
  /** Version of the runtime `runc`. */
  readonly runc: string | undefined;
  /** Name of its operating system, for people. */
  readonly system: string;
  /** Kind of containers that it makes: `linux` or `windows`. */
  readonly containers: string;
  /** As the kernel names it: `x86_64`, `aarch64`. */
  readonly architecture: string;
  readonly kernel: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly cgroupVersion: '1' | '2';
  /** `none`: the engine cannot limit anything. */
  readonly cgroupDriver: string | undefined;
  readonly memoryLimit: boolean | undefined;
  readonly swapLimit: boolean | undefined;
  readonly pidsLimit: boolean | undefined;
  readonly cpuLimit: boolean | undefined;
  readonly seccomp: boolean | undefined;
  readonly rootless: boolean;
  readonly userNamespaces: boolean;
  readonly runtimes: readonly string[];
  readonly defaultRuntime: string | undefined;
  readonly liveRestore: boolean | undefined;
  /** By how much the engine's clock is ahead of ours, at least, in ms: negative where it is behind; 0 within what the call took. */
  readonly clockAheadMs: number | undefined;
}

/** When the engine was asked for the time, by our clock, in ms since 1970. */
export interface Asked {
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** Reads the facts out of the engine's answers; whatever an engine leaves out is undefined. */
export function engineFacts(info: DockerInfo, version: DockerVersion, asked: Asked): EngineFacts {
  const security = securityNames(info.SecurityOptions);
  return {
    version: info.ServerVersion,
    runc: version.Components?.find(({ Name }) => Name === 'runc')?.Version,
    system: info.OperatingSystem ?? 'unknown',
    containers: info.OSType ?? 'linux',
    architecture: info.Architecture ?? 'unknown',
    kernel: info.KernelVersion ?? 'unknown',
    cpus: info.NCPU,
    memoryBytes: info.MemTotal,
    cgroupVersion: info.CgroupVersion === '2' ? '2' : '1',
    cgroupDriver: info.CgroupDriver,
    memoryLimit: info.MemoryLimit,
    swapLimit: info.SwapLimit,
    pidsLimit: info.PidsLimit,
    cpuLimit: info.CpuCfsQuota,
    seccomp: security?.has('seccomp'),
    rootless: security?.has('rootless') ?? false,
    userNamespaces: security?.has('userns') ?? false,
    runtimes: Object.keys(info.Runtimes ?? {}),
    defaultRuntime: info.DefaultRuntime,
    liveRestore: info.LiveRestoreEnabled,
    clockAheadMs: clockAhead(info.SystemTime, asked),
  };
}

/** Options come as `name=seccomp,profile=builtin`. */
function securityNames(options: DockerInfo['SecurityOptions']): ReadonlySet<string> | undefined {
  if (!options) return undefined;
  return new Set(options.map((option) => /(?:^|,)name=([^,]+)/.exec(option)?.[1] ?? option));
}

function clockAhead(time: string | undefined, { askedAt, answeredAt }: Asked): number | undefined {
  const told = Date.parse(time ?? '');
  if (Number.isNaN(told)) return undefined;
  if (told < askedAt) return told - askedAt;
  return told > answeredAt ? told - answeredAt : 0;
}
