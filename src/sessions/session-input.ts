import { z } from 'zod';
import {
  downloadSchema,
  executionRequestSchema,
  restoredSchema,
  rollbackSchema,
  sessionKeySchema,
  sessionOptionsSchema,
  uploadSchema,
} from '../contract';

export const openSessionSchema = z.strictObject({
  v: z.literal(1),
  key: sessionKeySchema,
  options: sessionOptionsSchema,
});

const taskSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('execute'), request: executionRequestSchema }),
  z.strictObject({ kind: z.literal('upload'), file: uploadSchema }),
  z.strictObject({ kind: z.literal('download'), file: downloadSchema }),
  z.strictObject({ kind: z.literal('list') }),
  z.strictObject({ kind: z.literal('rollback'), to: rollbackSchema }),
]);

const sandboxIdSchema = z.string().regex(/^hourglass-[0-9a-f]+$/);

export const callSessionSchema = z.strictObject({
  v: z.literal(1),
  key: sessionKeySchema,
  sandboxId: sandboxIdSchema,
  callId: z.string().min(1).max(100),
  task: taskSchema,
  recreated: z.boolean().optional(),
  restored: restoredSchema.optional(),
  repeated: z.boolean().optional(),
});

export const closeSessionSchema = z.strictObject({
  v: z.literal(1),
  key: sessionKeySchema,
  sandboxId: sandboxIdSchema,
  isLast: z.boolean().optional(),
});

export type ValidOpening = z.output<typeof openSessionSchema>;
export type ValidCall = z.output<typeof callSessionSchema>;
