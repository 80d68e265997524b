import { randomUUID } from 'node:crypto';
import { Client, WorkflowFailedError, type Connection } from '@temporalio/client';
import { z } from 'zod';
import { hostReportSchema, parseWorkerIdentity, type DrainOrder, type HostAnswer } from '../../contract';
import type { askHosts } from '../../../workflows';
import { findRecentPollers } from '../run/pollers';

/** Longer than a host is given to answer: the workflow itself needs a worker, too. */
const PATIENCE_MS = 20_000;

/** Where hosts are asked. */
export interface Asking {
  readonly connection: Connection;
  readonly namespace: string;
  readonly taskQueue: string;
}

/** What is read is written by whoever polls the task queue. */
const answersSchema = z.array(
  z.object({ hostId: z.string(), report: hostReportSchema.optional(), failure: z.string().optional() }),
);

/** Hosts whose workers polled a task queue in the last minutes, sorted. */
export async function knownHosts({ connection, namespace, taskQueue }: Asking): Promise<string[]> {
  const identities = await findRecentPollers(connection, namespace, taskQueue);
  return [...new Set(identities.flatMap((identity) => parseWorkerIdentity(identity)?.hostId ?? []))].sort();
}

/** Asks hosts how they are, or gives them an order; those that do not answer say so. Rejects where the server is gone. */
export async function askAll(
  { connection, namespace, taskQueue }: Asking,
  hostIds: readonly string[],
  order?: DrainOrder,
): Promise<HostAnswer[]> {
  if (hostIds.length === 0) return [];
  const { workflow } = new Client({ connection, namespace });
  const question = { v: 1, hostIds, ...(order === undefined ? {} : { order }) } as const;
  try {
    const answers: unknown = await workflow.execute<typeof askHosts>('askHosts', {
      workflowId: `ask-hosts-${randomUUID()}`,
      taskQueue,
      args: [question],
      workflowExecutionTimeout: PATIENCE_MS,
    });
    return answersSchema.parse(answers);
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    return hostIds.map((hostId) => ({ hostId, failure: 'no answer' }));
  }
}
