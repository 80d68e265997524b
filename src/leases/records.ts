import { z } from 'zod';
import type { Lease, WorkerRecord } from './lease-store';

const PHASES = ['leased', 'staged', 'started', 'ended', 'published'] as const;

/** A lease as it is stored. Fields that a later version adds are left out, not refused. */
export const leaseSchema: z.ZodType<Lease> = z.object({
  v: z.literal(1),
  tenant: z.object({ workspaceId: z.string(), userId: z.string() }),
  executionId: z.string(),
  containerId: z.string(),
  sandboxName: z.string(),
  hostId: z.string(),
  workerId: z.string(),
  phase: z.enum(PHASES),
  createdAt: z.number(),
  expiresAt: z.number(),
});

/** A worker's record as it is stored. */
export const workerSchema: z.ZodType<WorkerRecord> = z.object({
  v: z.literal(1),
  workerId: z.string(),
  hostId: z.string(),
  pid: z.number(),
  startedAt: z.number(),
  seenAt: z.number(),
  image: z.string().optional(),
});
