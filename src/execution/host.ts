import type { LimitPolicy, Phase } from '../contract';
import type { Engine, Sandbox, SandboxOwner, SandboxSpec } from '../engine/engine';
import type { Drain } from '../leases/drain';
import type { LeaseStore, WorkflowRun } from '../leases/lease-store';
import type { Booted, LeasedSandbox } from '../pool';
import type { Log } from '../telemetry/log';
import type { ExecutionMetrics } from '../telemetry/metrics';
import type { Tracing } from '../telemetry/tracing';
import type { WorkspaceStore } from '../workspace/workspace';
import type { Attempts } from './attempts';
import type { Background } from './background';
import type { MemoryGate } from './memory-gate';
import type { ExecutionProgress, OutputListener } from './progress';
import type { TenantGate } from './tenant-gate';

/** Where sandboxes come from and go to. */
export interface SandboxSource {
  /** With a tenant: the sandbox may have served that tenant before, and may be given back for its next run. */
  lease(spec: SandboxSpec, signal: AbortSignal, tenant?: string): Promise<LeasedSandbox>;
  /** Takes a sandbox back for its tenant's next run, or destroys it. Never rejects. */
  recycle(sandbox: Sandbox): Promise<void>;
  /** Takes in a running sandbox of an owner that is not there any more, leased to the caller. */
  adopt(spec: SandboxSpec, take: (signal: AbortSignal) => Promise<Booted>, signal: AbortSignal): Promise<Booted>;
  /** Lets go of a leased sandbox, whose program goes on. */
  detach(sandbox: Sandbox): void;
  /** Destroys a leased sandbox. Never rejects: what cannot be removed is left to the reaper. */
  release(sandbox: Sandbox): Promise<void>;
}

/** What one host offers to the executions that run on it; lives as long as the worker. */
export interface ExecutionHost {
  readonly owner: SandboxOwner;
  readonly engine: Pick<Engine, 'ping' | 'attach' | 'removeContainer'>;
  readonly attempts: Attempts;
  /** Whether new work is taken. */
  readonly drain: Drain;
  /** Aborts with LeaveRunning when the worker stops, after its last activity. */
  readonly closing: AbortSignal;
  readonly image: string;
  readonly policy: LimitPolicy;
  /** Whether a tenant's sandbox may serve that tenant again. */
  readonly allowsReuse: boolean;
  readonly pool: SandboxSource;
  readonly memory: MemoryGate;
  readonly tenants: TenantGate;
  /** Sandboxes on their way out after their execution was answered. */
  readonly background: Background;
  readonly workspaces: WorkspaceStore;
  readonly leases: LeaseStore;
  /** Whether programs go on when their worker is shut down. */
  readonly detachOnShutdown: boolean;
  /** Bytes one output file may have. */
  readonly maxFileBytes: number;
  /** Longest wait for memory, in ms. */
  readonly queueTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly log: Log;
  readonly metrics: ExecutionMetrics;
  readonly tracing: Tracing;
  readonly onOutput?: OutputListener | undefined;
}

/** One attempt to run one request. */
export interface Attempt {
  /** Aborts the execution; with LeaveRunning as its reason the attempt alone. */
  readonly signal: AbortSignal;
  /** What asked for the execution, the same for each attempt at it; see `ExecutionKey`. */
  readonly origin: string;
  /** The workflow that waits for it, where it is one's. */
  readonly workflow?: WorkflowRun | undefined;
  readonly progress: ExecutionProgress;
  /** Of the activity, counted from 1; a reset counts anew. */
  readonly number: number;
  /** Whether a workflow has handed it to this host, which is to finish what was begun here. */
  readonly isHandedOn?: boolean;
  /** Tells it from all others of this worker. */
  readonly turn: number;
  /** Whether there was one before it, on whichever host. */
  readonly isLater?: boolean;
  /** Whether the attempt before ended without a word. */
  readonly isCutOff?: boolean;
  /** Where the attempt before was when it was last heard of, on this host. */
  readonly seen?: Phase | undefined;
  readonly log: Log;
}
