import { z } from 'zod';

/** Longest notice that sessions get of a drain, in ms. */
export const LONGEST_NOTICE_MS = 7 * 86_400_000;

/** What a host is told about new work. */
export const drainOrderSchema = z.strictObject({
  v: z.literal(1),
  /** False: it takes new work again. */
  drains: z.boolean(),
  /** How long sessions may go on, in ms. */
  noticeMs: z.number().int().min(0).max(LONGEST_NOTICE_MS).optional(),
});

export type DrainOrder = z.infer<typeof drainOrderSchema>;

/** What a host says of itself, over all its workers. Not to be trusted: whoever polls its task queue can say anything. */
export const hostReportSchema = z.object({
  v: z.literal(1),
  hostId: z.string(),
  /** Worker processes that live. */
  workers: z.number(),
  /** Executions that run at a time, and those that do; what is left is free. */
  slots: z.object({ total: z.number(), used: z.number() }),
  /** Of the worker that answers, in MB. */
  memory: z.object({ budgetMb: z.number(), usedMb: z.number() }),
  /** Containers: those of executions and sessions, and those that wait for one in the worker that answers. */
  sandboxes: z.object({ leased: z.number(), warm: z.number() }),
  sessions: z.object({ open: z.number(), most: z.number() }),
  /** ISO 8601; absent where the host takes new work. */
  draining: z.object({ since: z.string(), sessionsCloseAt: z.string() }).optional(),
});

export type HostReport = z.infer<typeof hostReportSchema>;

/** What one host has answered, and why not where it has not. */
export interface HostAnswer {
  readonly hostId: string;
  readonly report?: HostReport;
  readonly failure?: string;
}

/** What a workflow asks of hosts, all at the same time. */
export interface HostQuestion {
  readonly v: 1;
  readonly hostIds: readonly string[];
  /** Absent: they only say how they are. */
  readonly order?: DrainOrder;
}

/** What a host does for a workflow on its own task queue. */
export interface HostActivities {
  describeHost(): Promise<HostReport>;
  drainHost(order: DrainOrder): Promise<HostReport>;
}
