import { z } from 'zod';
import { LANGUAGES } from './languages';
import { BOUNDS, resourceLimitsSchema, within } from './limits';
import { idSchema } from './names';
import { sandboxPathSchema } from './paths';
import type { ExecutionRequest } from './request';
import type { ExecutionResult } from './result';
import { tenantOf, type Tenant } from './tenant';

const DAY_MS = 86_400_000;

/** Bounds of sessions, beside those of each call. */
export const SESSION_BOUNDS = {
  /** Shortest and longest time without a call after which a session may end by itself, in ms. */
  idleTtlMs: { min: 1_000, max: 7 * DAY_MS },
  /** The same of its whole life. */
  ttlMs: { min: 1_000, max: 30 * DAY_MS },
  /** A file that travels within a call, in bytes; larger ones go by way of the workspace. */
  fileBytes: 1_048_576,
  /** Calls of which state and files are kept, for a rollback. */
  keepCalls: 8,
  /** Files that one listing names. */
  listedFiles: 2_000,
} as const;

/**
 * What becomes of a session whose sandbox is gone: it ends; goes on with an empty one that says so; or with one that has the files
 * of the last call, and says that its variables are gone.
 */
export const SESSION_LOSS_POLICIES = ['fail', 'recreate', 'restore'] as const;

const ttl = ({ min, max }: { readonly min: number; readonly max: number }) =>
  within({ min, ceiling: max, unit: 'ms' }).int();

/** What a session is, from its first call to its end. */
export const sessionOptionsSchema = z.strictObject({
  sessionId: idSchema,
  language: z.enum(LANGUAGES),
  workspaceId: idSchema.optional(),
  userId: idSchema.optional(),
  /** Of its sandbox; a call may not ask for others. `maxOutputBytes` is each call's own. */
  resourceLimits: resourceLimitsSchema.optional(),
  /** Ends after this time without a call, in ms. Default: the worker's `CODE_SESSION_TTL_MS`. */
  idleTtlMs: ttl(SESSION_BOUNDS.idleTtlMs).optional(),
  /** Ends after this time in any case, in ms. Default: the worker's `HOURGLASS_SESSION_MAX_AGE_MS`. */
  ttlMs: ttl(SESSION_BOUNDS.ttlMs).optional(),
  /** Default: `fail`. */
  onLost: z.enum(SESSION_LOSS_POLICIES).optional(),
  /** How many calls a rollback can take back. Default: 8 in Python and shell, where the files are few and small; 0 in JavaScript and TypeScript. */
  keepCalls: z.number().int().min(0).max(SESSION_BOUNDS.keepCalls).optional(),
  /** A few words for the Temporal UI. */
  label: z.string().max(BOUNDS.labelLength).optional(),
});

export type SessionOptions = z.input<typeof sessionOptionsSchema>;

/**
 * What a call has made of the state of its session: `kept` is what it left; `restored`, it was killed or crashed and the state
 * is as it was before; `empty`, the state is gone and the next call begins with nothing.
 */
export const SESSION_STATES = ['kept', 'restored', 'empty'] as const;

export type SessionState = (typeof SESSION_STATES)[number];

/** Files that a sandbox was given in the place of one that was lost. */
export const restoredSchema = z.strictObject({
  /** They are as they were after this call of the sandbox before; 0: before the first one. */
  call: z.number().int().nonnegative(),
  files: z.number().int().nonnegative(),
  /** Links and whatever else was no file that can be kept: they are gone. */
  others: z.number().int().nonnegative(),
});

export type Restored = z.infer<typeof restoredSchema>;

/** What a result says of its session. */
export const sessionFactsSchema = z.strictObject({
  sessionId: z.string(),
  /** Number of the call, from 1 over the life of the sandbox. */
  call: z.number().int().positive(),
  state: z.enum(SESSION_STATES),
  /** Processes that the calls so far have left running. */
  background: z.number().int().nonnegative(),
  /** The sandbox of the calls before is gone, and with it their state: this call began with nothing. */
  recreated: z.boolean().optional(),
  /** With it: the files of the sandbox before are here. Variables and processes are not. */
  restored: restoredSchema.optional(),
});

export type SessionFacts = z.infer<typeof sessionFactsSchema>;

/** A file that is put into a session's /sandbox, or replaced there. */
export const uploadSchema = z.strictObject({
  path: sandboxPathSchema,
  contentBase64: z.base64().max(Math.ceil(SESSION_BOUNDS.fileBytes / 3) * 4),
});

/** A file that is read from a session's /sandbox. */
export const downloadSchema = z.strictObject({ path: sandboxPathSchema });

/** Which state a session goes back to. */
export const rollbackSchema = z.strictObject({
  /** The one that this call has left; 0: the one before the first call. */
  call: z.number().int().nonnegative(),
});

export type Rollback = z.input<typeof rollbackSchema>;
export type Upload = z.input<typeof uploadSchema>;
export type Download = z.input<typeof downloadSchema>;

/** One file of a session, with its bytes. */
export interface DownloadedFile {
  readonly path: string;
  readonly size: number;
  readonly contentBase64: string;
}

/** The regular files below a session's /sandbox. */
export interface SessionFiles {
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** There are more than are listed. */
  readonly truncated: boolean;
}

/** Numbers the calls of one client, which run in this order. */
export interface CallOrder {
  /** Of the client's own choosing, one for each client object. */
  readonly client: string;
  /** From 1, without gaps. */
  readonly number: number;
}

/** What a session is asked to do. */
export type SessionTask =
  | { readonly kind: 'execute'; readonly request: ExecutionRequest }
  | { readonly kind: 'upload'; readonly file: Upload }
  | { readonly kind: 'download'; readonly file: Download }
  | { readonly kind: 'list' }
  | { readonly kind: 'rollback'; readonly to: Rollback };

/** What tells one session from all others. */
export const sessionKeySchema = z.strictObject({
  workspaceId: idSchema,
  userId: idSchema,
  sessionId: idSchema,
  /** First run of the session's workflow: the same id used again later is another session. */
  firstRunId: z.string().min(1).max(100),
  /** Counts the sandboxes of the session from 1: after a loss the next one begins with nothing. */
  generation: z.number().int().nonnegative(),
});

export type SessionKey = z.infer<typeof sessionKeySchema>;

/** Where a session is, and for how long. */
export interface SessionPlace {
  readonly hostId: string;
  readonly sandboxId: string;
  readonly idleTtlMs: number;
  readonly ttlMs: number;
  /** Where it took the place of one that was lost, and files were brought back. */
  readonly restored?: Restored;
}

/** What came of a call, by the kind of its task. */
export type CallOutcome =
  | { readonly kind: 'execute'; readonly result: ExecutionResult }
  | { readonly kind: 'upload' }
  | { readonly kind: 'download'; readonly file: DownloadedFile }
  | { readonly kind: 'list'; readonly files: SessionFiles }
  | { readonly kind: 'rollback' };

/** What the workflow of a session asks the host that is to hold it. */
export interface OpenSession {
  readonly v: 1;
  readonly key: SessionKey;
  readonly options: SessionOptions;
}

/** What the workflow of a session asks the host that holds it. */
export interface CallSession {
  readonly v: 1;
  readonly key: SessionKey;
  readonly sandboxId: string;
  /** Stays the same over the attempts at one call, and is no other call's. */
  readonly callId: string;
  readonly task: SessionTask;
  /** The sandbox is a new one, in the place of one that was lost. */
  readonly recreated?: boolean;
  /** With it: what was brought back. */
  readonly restored?: Restored;
  /** It was answered before: it may not run again. */
  readonly repeated?: boolean;
}

export interface CloseSession {
  readonly v: 1;
  readonly key: SessionKey;
  readonly sandboxId: string;
  /** Nobody will ask for the files that were kept of it. */
  readonly isLast?: boolean;
}

/** What the workflow of a session calls: `openSession` on any host, the others on the one that answered. */
export interface SessionActivities {
  openSession(input: OpenSession): Promise<SessionPlace>;
  callSession(input: CallSession): Promise<CallOutcome>;
  closeSession(input: CloseSession): Promise<void>;
}

/** Where a session stands; what its query answers. */
export interface SessionStatus {
  readonly sessionId: string;
  readonly language: string;
  readonly phase: 'new' | 'idle' | 'busy' | 'closed';
  /** Calls that have ended. */
  readonly calls: number;
  readonly waiting: number;
  readonly hostId?: string | undefined;
  readonly sandboxId?: string | undefined;
  /** ISO 8601. */
  readonly openedAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt?: string | undefined;
  /** When it is closed because its host is drained. */
  readonly drainsAt?: string | undefined;
  /** How long it lasts without a call, in ms; known from its first call on. */
  readonly idleTtlMs?: number | undefined;
  /** How often its sandbox was lost and replaced by a new one. */
  readonly recreated: number;
}

/** Id of the workflow that is a session: ids hold no slash, so no two sessions share one. */
export function sessionWorkflowId(tenant: Tenant, sessionId: string): string {
  return `session/${tenant.workspaceId}/${tenant.userId}/${sessionId}`;
}

/** The session that options or a request name. */
export function sessionWorkflowIdOf(options: {
  readonly sessionId: string;
  readonly workspaceId?: string | undefined;
  readonly userId?: string | undefined;
}): string {
  return sessionWorkflowId(tenantOf(options), options.sessionId);
}

/** The task queue on which the calls of a host's sessions wait: apart from executions, so that neither holds up the other. */
export function sessionQueue(taskQueue: string, hostId: string): string {
  return `${taskQueue}@${hostId}/sessions`;
}
