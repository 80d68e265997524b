import { z } from 'zod';
import { describeJsonFault, type JsonValue } from './json';
import { BOUNDS } from './limits';

/** Where an execution stands. `queued` covers every wait that is not the program's own. */
export const PHASES = ['queued', 'starting', 'staging-in', 'running', 'staging-out', 'finishing'] as const;

export type Phase = (typeof PHASES)[number];

/** What a program keeps: any JSON value, small where it is made. */
export const checkpointSchema = z.custom<JsonValue>(
  (value) => value !== undefined && describeJsonFault(value, BOUNDS.jsonDepth) === undefined,
);

/** How far a program says that it is. */
export const progressSchema = z.object({
  /** From 0 to 1. */
  fraction: z.number().min(0).max(1),
  message: z.string().optional(),
});

export type Progress = z.infer<typeof progressSchema>;

/**
 * Heartbeat details of an execution: what the Temporal UI shows live and what the next attempt needs to find the
 * sandbox. Small by construction; holds no code and no inputs. Not strict: a worker reads what a newer one wrote.
 */
export const heartbeatSchema = z.object({
  v: z.literal(1),
  phase: z.enum(PHASES),
  executionId: z.string(),
  hostId: z.string(),
  /** Of the activity, counted from 1; absent in those of earlier versions. */
  attempt: z.number().int().optional(),
  /** True where the next attempt may start anew: the program has not started, or was ended on purpose. */
  restartable: z.boolean().optional(),
  /** Attempts that have failed; see `MAX_FAILURES`. */
  failures: z.number().int().nonnegative().optional(),
  /** Attempts for which engine or workspace were away; see `MAX_OUTAGES`. */
  outages: z.number().int().nonnegative().optional(),
  /** The last words of an attempt: it failed, or left what it had to the next one. Absent where it was cut off. */
  end: z.enum(['failed', 'left']).optional(),
  sandboxId: z.string().optional(),
  queuedMs: z.number().nonnegative(),
  runningMs: z.number().nonnegative(),
  stdoutBytes: z.number().int().nonnegative(),
  stderrBytes: z.number().int().nonnegative(),
  filesIn: z.number().int().nonnegative(),
  filesOut: z.number().int().nonnegative(),
  bytesIn: z.number().int().nonnegative(),
  bytesOut: z.number().int().nonnegative(),
  /** What the program has kept for a run of it that begins anew; any JSON value. */
  checkpoint: checkpointSchema.optional(),
  /** How far the program says that it is. */
  progress: progressSchema.optional(),
  /** End of stdout so far, at most 2 KiB; absent where the request switched it off. */
  tail: z.string().optional(),
});

export type HeartbeatDetails = z.infer<typeof heartbeatSchema>;
