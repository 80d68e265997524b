import type { LimitPolicy } from '../contract';

/** Everything a process of ours needs to know, validated: milliseconds, bytes, every choice resolved. */
export interface HourglassConfig {
  readonly temporal: {
    /** `host:port`; undefined where none is configured: commands then look for a local server or start one. */
    readonly address: string | undefined;
    readonly namespace: string;
    readonly taskQueue: string;
    readonly apiKey: string | undefined;
    readonly tls: boolean;
    /** Temporal CLI binary that `hourglass dev` starts. */
    readonly cliPath: string | undefined;
    /** Base URL of the Temporal UI for links; undefined: derived. */
    readonly uiUrl: string | undefined;
  };
  readonly engine: {
    /** Image name; undefined: the image that infra/setup builds, named by the hash of its content. */
    readonly image: string | undefined;
    /** DOCKER_HOST; undefined: the default socket. */
    readonly dockerHost: string | undefined;
    /** OCI runtime, such as `runc` or `runsc`; undefined: the engine's default. */
    readonly runtime: string | undefined;
    readonly bootTimeoutMs: number;
    /** Promises that the operator does without where the engine cannot keep them. */
    readonly accepted: readonly 'cpu-limit'[];
  };
  /** Executions this worker runs at a time. */
  readonly maxConcurrentExecutions: number;
  /** Of one tenant; undefined: no limit of its own. */
  readonly maxRunningPerTenant: number | undefined;
  /** Memory all running sandboxes may have together, in MB; undefined: slots x default memory, plus half of what the engine has left. */
  readonly memoryBudgetMb: number | undefined;
  /** Longest wait inside the activity for memory. */
  readonly queueTimeoutMs: number;
  readonly pool: {
    /** Sandboxes kept warm for each key that is in use, at least; 0 switches the pool off. */
    readonly warmPerKey: number;
    /** Warm sandboxes of all keys together. */
    readonly maxWarm: number;
    /** Memory that all of them hold while they wait, in MB. */
    readonly memoryMb: number;
    /** Runtimes that are warm from the start. */
    readonly prewarm: readonly string[];
  };
  /** How long a tenant's sandbox may serve that tenant again. */
  readonly reuse: { readonly maxUses: number; readonly maxAgeMs: number };
  readonly policy: LimitPolicy;
  readonly workspace: {
    readonly dir: string;
    readonly quotaBytes: number;
    readonly maxFileBytes: number;
  };
  /** Folder of the host's embedded store (leases, host id). */
  readonly stateDir: string;
  /** Folder where set-up keeps what is costly to fetch or build, such as the Temporal CLI. */
  readonly cacheDir: string;
  /** A sandbox whose worker is silent for longer ends itself. */
  readonly leaseMs: number;
  readonly detachOnShutdown: boolean;
  /** How long running programs may go on after SIGTERM. */
  readonly shutdownGraceMs: number;
  readonly heartbeatIntervalMs: number;
  readonly sessions: {
    /** A session without a call for longer ends, where it says nothing else. */
    readonly ttlMs: number;
    /** How long a session lasts, where it says nothing else. */
    readonly maxAgeMs: number;
    /** Sessions that this worker holds at a time. */
    readonly max: number;
    readonly maxPerTenant: number;
    /** What becomes of them when their worker is shut down. */
    readonly onShutdown: 'keep' | 'close';
  };
  readonly observe: {
    /** `IP:port` of the Prometheus exporter; undefined: there is none. */
    readonly metricsAddress: string | undefined;
    /** `IP:port` of `/healthz` and `/readyz`; undefined: there are none. */
    readonly healthAddress: string | undefined;
  };
  readonly log: { readonly level: string; readonly format: 'json' | 'pretty' };
}
