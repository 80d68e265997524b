import { z } from 'zod';
import { programErrorSchema } from './errors';
import type { JsonValue } from './json';
import { LANGUAGES } from './languages';
import { sessionFactsSchema } from './session';

/** One file in the workspace after a run. */
export const savedFileSchema = z.strictObject({
  workspacePath: z.string(),
  size: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  mediaType: z.string(),
  /** Path in the sandbox that the file came from; absent for a result stored by reference. */
  sandboxPath: z.string().optional(),
});

export type SavedFile = z.infer<typeof savedFileSchema>;

/** A result too large for a payload: the file that holds its JSON, and its beginning. */
export const resultReferenceSchema = savedFileSchema.extend({ preview: z.string() });

export type ResultReference = z.infer<typeof resultReferenceSchema>;

/** How a sandbox comes to its user. `reused`: it has served the same tenant before, and was reset and verified. */
export const SANDBOX_START_KINDS = ['warm', 'cold', 'reused'] as const;

/** How an execution starts. `session`: in the sandbox of its session, with the state of the calls before. */
export const START_KINDS = [...SANDBOX_START_KINDS, 'session'] as const;

/** Facts about a run that its program does not decide. Times in ms, sizes in bytes. */
export const executionMetadataSchema = z.strictObject({
  executionId: z.string(),
  language: z.enum(LANGUAGES),
  engine: z.enum(['container', 'isolate']),
  /** As the program set it; 128 + signal where a signal ended it. */
  exitCode: z.number().int(),
  signal: z.string().optional(),
  /** From the start of the program to its end. */
  executionTimeMs: z.number().nonnegative(),
  /** Waiting for a worker, a slot and memory; never counted in the timeout. */
  queueTimeMs: z.number().nonnegative(),
  /** From the activity's first line to its result. */
  totalTimeMs: z.number().nonnegative(),
  startKind: z.enum(START_KINDS),
  peakMemoryBytes: z.number().int().nonnegative().optional(),
  cpuTimeMs: z.number().nonnegative().optional(),
  /** What the program wrote, kept or not. */
  stdoutBytes: z.number().int().nonnegative(),
  stderrBytes: z.number().int().nonnegative(),
  /** Name of the sandbox, such as `hourglass-3f9c…`. */
  sandboxId: z.string(),
  hostId: z.string(),
  image: z.string(),
  attempt: z.number().int().positive(),
  /** Of a call of a session. */
  session: sessionFactsSchema.optional(),
});

export type ExecutionMetadata = z.infer<typeof executionMetadataSchema>;

/** What one program left behind. A failing program is data: `success` is false and `error` says why. */
export const executionResultSchema = z.strictObject({
  success: z.boolean(),
  result: z.custom<JsonValue>((value) => value !== undefined),
  /** Set instead of `result` (then null) when the result exceeds the payload bound. */
  resultFile: resultReferenceSchema.optional(),
  error: programErrorSchema.optional(),
  stdout: z.string(),
  stderr: z.string(),
  savedFiles: z.array(savedFileSchema),
  warnings: z.array(z.string()),
  metadata: executionMetadataSchema,
});

export type ExecutionResult = z.infer<typeof executionResultSchema>;
