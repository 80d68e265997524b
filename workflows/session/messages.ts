import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type {
  CallOrder,
  Download,
  DownloadedFile,
  ExecutionRequest,
  ExecutionResult,
  Rollback,
  SessionFiles,
  SessionOptions,
  SessionPlace,
  SessionStatus,
  Upload,
} from '../../src/contract';
import type { Positions } from './call-queue';
import type { EndReason } from './ends';

/** What is left of a session. */
export interface SessionEnd {
  readonly sessionId: string;
  readonly reason: EndReason;
  readonly calls: number;
}

/** What one run of the workflow hands to the next. */
export interface Carried {
  readonly place?: SessionPlace | undefined;
  readonly openedAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt?: number | undefined;
  /** When its host is to be empty. */
  readonly drainsAt?: number | undefined;
  readonly calls: number;
  readonly recreated: number;
  /** The next program is the first in the place of a sandbox that was lost. */
  readonly isRecreated: boolean;
  readonly positions: Positions;
  /** Ids of the latest uploads and rollbacks that were answered. */
  readonly uploads: readonly string[];
}

export interface SessionInput {
  readonly v: 1;
  readonly options: SessionOptions;
  readonly carried?: Carried;
}

/** How long a session is to wait for the next call, from now on, in ms. */
export interface Renewal {
  readonly idleTtlMs: number;
}

/** The host of a session is drained. */
export interface DrainNotice {
  /** What is meant is this session, and no later one of its id. */
  readonly firstRunId: string;
  readonly hostId: string;
  /** How long the session may go on, in ms; null: as if nothing had been said. */
  readonly noticeMs: number | null;
}

export const drainSignal = defineSignal<[DrainNotice]>('drain');
export const executeUpdate = defineUpdate<ExecutionResult, [CallOrder, ExecutionRequest]>('execute');
export const uploadUpdate = defineUpdate<null, [CallOrder, Upload]>('upload');
export const downloadUpdate = defineUpdate<DownloadedFile, [CallOrder, Download]>('download');
export const listFilesUpdate = defineUpdate<SessionFiles, [CallOrder]>('listFiles');
export const rollbackUpdate = defineUpdate<null, [CallOrder, Rollback]>('rollback');
/** Ends the program of one call, or keeps it from beginning; the session goes on. */
export const interruptUpdate = defineUpdate<null, [CallOrder]>('interrupt');
export const renewUpdate = defineUpdate<SessionStatus, [Renewal | null]>('renew');
export const closeUpdate = defineUpdate<SessionEnd>('close');
export const statusQuery = defineQuery<SessionStatus>('status');

/** Type of the refusal of what comes while the session goes over into its next run: asked again, it is taken. */
export const SESSION_MOVES = 'SESSION_MOVES';
