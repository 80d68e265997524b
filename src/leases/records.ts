import { z } from 'zod';
import type { Moment } from '../clock';
import {
  executionResultSchema,
  LANGUAGES,
  restoredSchema,
  RUNTIMES,
  SANDBOX_START_KINDS,
  type ExecutionResult,
} from '../contract';
import type { DrainMark, Lease, Resumption, ResultFacts, SessionHold, WorkerRecord } from './lease-store';

const PHASES = ['leased', 'staged', 'started', 'ended', 'published'] as const;

const momentSchema: z.ZodType<Moment> = z.object({ wallMs: z.number(), evenMs: z.number() });

const resumptionSchema: z.ZodType<Resumption> = z.object({
  spec: z.object({
    runtime: z.enum(RUNTIMES),
    preload: z.array(z.string()),
    memoryMb: z.number(),
    diskMb: z.number(),
    cpuCores: z.number(),
    maxPids: z.number(),
  }),
  startKind: z.enum(SANDBOX_START_KINDS),
  startedAt: z.number().optional(),
  until: z.number(),
});

const sessionSchema: z.ZodType<SessionHold> = z.object({
  sessionId: z.string(),
  firstRunId: z.string(),
  generation: z.number().int(),
  language: z.enum(LANGUAGES),
  limits: z.object({
    timeout: z.number(),
    memoryMb: z.number(),
    diskMb: z.number(),
    cpuCores: z.number(),
    maxPids: z.number(),
    maxOutputBytes: z.number(),
  }),
  programs: z.number().int(),
  callId: z.string().optional(),
  startedAt: z.number().optional(),
  keeps: z.object({ calls: z.number().int(), restore: z.boolean(), all: z.boolean() }).optional(),
  restored: restoredSchema.optional(),
});

/** A lease as it is stored. Fields that a later version adds are left out, not refused. */
export const leaseSchema: z.ZodType<Lease> = z.object({
  v: z.literal(1),
  tenant: z.object({ workspaceId: z.string(), userId: z.string() }),
  executionId: z.string(),
  origin: z.string().default(''),
  containerId: z.string(),
  sandboxName: z.string(),
  hostId: z.string(),
  workerId: z.string(),
  attempt: z.number().default(1),
  phase: z.enum(PHASES),
  createdAt: z.number(),
  expiresAt: z.number(),
  clock: momentSchema.optional(),
  workflow: z.object({ workflowId: z.string(), runId: z.string() }).optional(),
  resumption: resumptionSchema.optional(),
  session: sessionSchema.optional(),
});

/** A result as it is stored; facts about it have the version. */
export const resultSchema: z.ZodType<ExecutionResult> = executionResultSchema;

export const resultFactsSchema: z.ZodType<ResultFacts> = z.object({
  v: z.literal(1),
  workerId: z.string(),
  savedAt: z.number(),
  size: z.number(),
});

/** A worker's record as it is stored. */
export const workerSchema: z.ZodType<WorkerRecord> = z.object({
  v: z.literal(1),
  workerId: z.string(),
  hostId: z.string(),
  pid: z.number(),
  startedAt: z.number(),
  seenAt: z.number(),
  clock: momentSchema.optional(),
  image: z.string().optional(),
  slots: z.number().optional(),
  sessions: z.number().optional(),
});

export const drainMarkSchema: z.ZodType<DrainMark> = z.object({
  v: z.literal(1),
  since: z.number(),
  sessionsCloseAt: z.number(),
});
