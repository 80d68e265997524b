import type { Moment } from '../clock';
import type { ExecutionResult, Language, ResolvedLimits, Restored, SANDBOX_START_KINDS, Tenant } from '../contract';
import type { SandboxSpec } from '../engine/engine';

/** How far an execution is; the next attempt on this host decides by it. */
export type LeasePhase = 'leased' | 'staged' | 'started' | 'ended' | 'published';

/** What tells one execution from all others: its id is the tenant's own to choose. */
export interface ExecutionKey {
  readonly tenant: Tenant;
  readonly executionId: string;
  /** What asked for it, such as a workflow run, and for what: attempts at the same work share it, and nothing else does. */
  readonly origin: string;
}

/** One run of one workflow. */
export interface WorkflowRun {
  readonly workflowId: string;
  readonly runId: string;
}

/** What the next owner of a sandbox has to know of it. */
export interface Resumption {
  readonly spec: SandboxSpec;
  readonly startKind: (typeof SANDBOX_START_KINDS)[number];
  /** When the program started, in ms since 1970; absent before, and where a crash lost it. */
  readonly startedAt?: number | undefined;
  /** Nobody is to run longer than that, whoever owns it; in ms since 1970. */
  readonly until: number;
}

/** What is kept of a session's files. */
export interface KeepsFiles {
  /** How many calls a rollback can take back. */
  readonly calls: number;
  /** Whether a sandbox that is lost leaves its files to the next one. */
  readonly restore: boolean;
  /** However many and large they are: somebody has asked for it. */
  readonly all: boolean;
}

/** What the next owner of a session has to know of it. */
export interface SessionHold {
  readonly sessionId: string;
  readonly firstRunId: string;
  readonly generation: number;
  readonly language: Language;
  readonly limits: ResolvedLimits;
  /** Programs that were begun. */
  readonly programs: number;
  /** The call that began the last of them, and when that started, in ms since 1970. */
  readonly callId?: string | undefined;
  readonly startedAt?: number | undefined;
  /** Absent in records of earlier versions, which keep nothing. */
  readonly keeps?: KeepsFiles | undefined;
  /** The files that its sandbox was given when it took the place of one that was lost. */
  readonly restored?: Restored | undefined;
}

/** The record of one execution's exclusive use of one sandbox, written before the program starts. */
export interface Lease extends ExecutionKey {
  readonly v: 1;
  readonly containerId: string;
  readonly sandboxName: string;
  readonly hostId: string;
  /** The worker process that owns it. */
  readonly workerId: string;
  /** Counted in its worker: the one whose record this is. */
  readonly attempt: number;
  readonly phase: LeasePhase;
  /** Wall clock, ms since 1970. */
  readonly createdAt: number;
  /** Until then an attempt may come that asks what became of the execution. */
  readonly expiresAt: number;
  /** When it was made: its other times are by the wall clock of then. Absent in records of earlier versions. */
  readonly clock?: Moment | undefined;
  /** The workflow that waits for it, where it is one's. */
  readonly workflow?: WorkflowRun | undefined;
  /** Absent in records of earlier versions, whose sandboxes are not taken over. */
  readonly resumption?: Resumption | undefined;
  /** Of a session, whose sandbox outlives its executions. */
  readonly session?: SessionHold | undefined;
}

/** Facts about a stored result by which it is forgotten. */
export interface ResultFacts {
  readonly v: 1;
  /** The worker that stored it. */
  readonly workerId: string;
  readonly savedAt: number;
  /** Of its JSON, in UTF-16 units. */
  readonly size: number;
}

/** One worker process on this host that says it lives. */
export interface WorkerRecord {
  readonly v: 1;
  readonly workerId: string;
  readonly hostId: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly seenAt: number;
  /** The same by both clocks; absent in records of earlier versions. */
  readonly clock?: Moment | undefined;
  /** Image of its sandboxes; absent in records of earlier versions, as is what it holds at most. */
  readonly image?: string | undefined;
  readonly slots?: number | undefined;
  readonly sessions?: number | undefined;
}

/** Says that a host takes no new work. Wall clock, ms since 1970. */
export interface DrainMark {
  readonly v: 1;
  readonly since: number;
  /** When its sessions are closed. */
  readonly sessionsCloseAt: number;
}

/** What a host must remember; embedded, small, safe against a crash at any byte, shared by the worker processes of the host. */
export interface LeaseStore {
  /** Stable across restarts; made at the first opening. */
  readonly hostId: string;
  /**
   * Writes a record in the place of that of the same attempt in `over`, which has to be there; without it, where there is none or
   * its own. False where the record is another's by now: nothing is written. Durable when it resolves.
   */
  put(lease: Lease, over?: Lease): Promise<boolean>;
  /** As `put`, but only as long as the record in `over` is still in the phase that it says. */
  claim(lease: Lease, over: Lease): Promise<boolean>;
  get(execution: ExecutionKey): Lease | undefined;
  /** Whether anything is there of an execution, be it what this version cannot read. */
  knows(execution: ExecutionKey): boolean;
  remove(execution: ExecutionKey): Promise<void>;
  all(): Lease[];
  /** Durable when it resolves; takes the place of the execution's lease. */
  putResult(execution: ExecutionKey, result: ExecutionResult, workerId: string): Promise<void>;
  /** Counts the age of a result from now on. */
  keepResult(execution: ExecutionKey): Promise<void>;
  /** What an execution came to; kept until its workflow has it. */
  result(execution: ExecutionKey): ExecutionResult | undefined;
  /** Forgets the results that the caller does not keep, asked for the newest first. */
  pruneResults(isKept: (facts: ResultFacts) => boolean): Promise<void>;
  putWorker(worker: WorkerRecord): Promise<void>;
  removeWorker(workerId: string): Promise<void>;
  workers(): WorkerRecord[];
  /** Undefined where the host takes new work. */
  drainMark(): DrainMark | undefined;
  /** Durable when it resolves. */
  putDrainMark(mark: DrainMark): Promise<void>;
  removeDrainMark(): Promise<void>;
  close(): Promise<void>;
}
