/** Body of the engine's `POST /containers/create`: exactly the fields that we set, so that nothing else can be passed on. */
export interface CreateBody {
  readonly Image: string;
  readonly Cmd: readonly string[];
  readonly User: string;
  readonly WorkingDir: string;
  readonly Hostname: string;
  readonly NetworkDisabled: boolean;
  readonly Env: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly AttachStdin: boolean;
  readonly AttachStdout: boolean;
  readonly AttachStderr: boolean;
  readonly OpenStdin: boolean;
  readonly StdinOnce: boolean;
  readonly Tty: boolean;
  readonly StopSignal: string;
  readonly StopTimeout: number;
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly HostConfig: HostConfig;
}

/** The part of a container's configuration that decides what it may do to the host. */
export interface HostConfig {
  readonly Memory: number;
  readonly MemorySwap: number;
  readonly CpuPeriod: number;
  readonly CpuQuota: number;
  readonly PidsLimit: number;
  readonly OomScoreAdj: number;
  readonly Ulimits: readonly Ulimit[];
  readonly ReadonlyRootfs: boolean;
  readonly Tmpfs: Readonly<Record<string, string>>;
  readonly ShmSize: number;
  readonly NetworkMode: string;
  readonly Dns: readonly string[];
  readonly DnsSearch: readonly string[];
  readonly IpcMode: string;
  readonly CgroupnsMode: string;
  readonly CapDrop: readonly string[];
  readonly Privileged: boolean;
  readonly SecurityOpt: readonly string[];
  readonly MaskedPaths: readonly string[];
  readonly ReadonlyPaths: readonly string[];
  readonly LogConfig: { readonly Type: string; readonly Config: Readonly<Record<string, string>> };
  readonly RestartPolicy: { readonly Name: string; readonly MaximumRetryCount: number };
  readonly AutoRemove: boolean;
  readonly Init: boolean;
  /** Undefined: the engine's default. */
  readonly Runtime: string | undefined;
}

export interface Ulimit {
  readonly Name: string;
  readonly Soft: number;
  readonly Hard: number;
}
