/** How far an execution is; the next attempt on this host decides by it. */
export type LeasePhase = 'leased' | 'staged' | 'started' | 'ended' | 'published';

/** The record of one execution's exclusive use of one sandbox, written before the program starts. */
export interface Lease {
  readonly v: 1;
  readonly executionId: string;
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
}

/** What a host must remember; embedded, small, safe against a crash at any byte, shared by the worker processes of the host. */
export interface LeaseStore {
  /** Stable across restarts; made at the first opening. */
  readonly hostId: string;
  /** Durable when it resolves. */
  put(lease: Lease): Promise<void>;
  get(executionId: string): Lease | undefined;
  remove(executionId: string): Promise<void>;
  all(): Lease[];
  putWorker(worker: WorkerRecord): Promise<void>;
  removeWorker(workerId: string): Promise<void>;
  workers(): WorkerRecord[];
  close(): Promise<void>;
}
