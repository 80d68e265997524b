import type { Tenant } from '../contract';

/** How far an execution is; the next attempt on this host decides by it. */
export type LeasePhase = 'leased' | 'staged' | 'started' | 'ended' | 'published';

/** What tells one execution from all others: its id is the tenant's own to choose. */
export interface ExecutionKey {
  readonly tenant: Tenant;
  readonly executionId: string;
}

/** The record of one execution's exclusive use of one sandbox, written before the program starts. */
export interface Lease extends ExecutionKey {
  readonly v: 1;
  readonly containerId: string;
  readonly sandboxName: string;
  readonly hostId: string;
  /** The worker process that owns it. */
  readonly workerId: string;
  readonly phase: LeasePhase;
  /** Wall clock, ms since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** One worker process on this host that says it lives. */
export interface WorkerRecord {
  readonly v: 1;
  readonly workerId: string;
  readonly hostId: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly seenAt: number;
  /** Image of its sandboxes; absent in records of earlier versions. */
  readonly image?: string | undefined;
}

/** What a host must remember; embedded, small, safe against a crash at any byte, shared by the worker processes of the host. */
export interface LeaseStore {
  /** Stable across restarts; made at the first opening. */
  readonly hostId: string;
  /** Durable when it resolves. */
  put(lease: Lease): Promise<void>;
  get(execution: ExecutionKey): Lease | undefined;
  remove(execution: ExecutionKey): Promise<void>;
  all(): Lease[];
  putWorker(worker: WorkerRecord): Promise<void>;
  removeWorker(workerId: string): Promise<void>;
  workers(): WorkerRecord[];
  close(): Promise<void>;
}
