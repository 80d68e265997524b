import type { LimitPolicy } from '../contract';
import type { Sandbox, SandboxOwner, SandboxSpec } from '../engine/engine';
import type { LeaseStore } from '../leases/lease-store';
import type { LeasedSandbox } from '../pool';
import type { Log } from '../telemetry/log';
import type { ExecutionMetrics } from '../telemetry/metrics';
import type { Tracing } from '../telemetry/tracing';
import type { WorkspaceStore } from '../workspace/workspace';
import type { Background } from './background';
import type { MemoryGate } from './memory-gate';
import type { ExecutionProgress, OutputListener } from './progress';

/** Where sandboxes come from and go to. */
export interface SandboxSource {
  /** With a tenant: the sandbox may have served that tenant before, and may be given back for its next run. */
  lease(spec: SandboxSpec, signal: AbortSignal, tenant?: string): Promise<LeasedSandbox>;
  /** Takes a sandbox back for its tenant's next run, or destroys it. Never rejects. */
  recycle(sandbox: Sandbox): Promise<void>;
  /** Destroys a leased sandbox. Never rejects: what cannot be removed is left to the reaper. */
  release(sandbox: Sandbox): Promise<void>;
}

/** What one host offers to the executions that run on it; lives as long as the worker. */
export interface ExecutionHost {
  readonly owner: SandboxOwner;
  readonly image: string;
  readonly policy: LimitPolicy;
  /** Whether a tenant's sandbox may serve that tenant again. */
  readonly allowsReuse: boolean;
  readonly pool: SandboxSource;
  readonly memory: MemoryGate;
  /** Sandboxes on their way out after their execution was answered. */
  readonly background: Background;
  readonly workspaces: WorkspaceStore;
  readonly leases: LeaseStore;
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
  readonly signal: AbortSignal;
  readonly progress: ExecutionProgress;
  /** Counted from 1. */
  readonly number: number;
  readonly log: Log;
}
