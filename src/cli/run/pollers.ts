import type { Connection } from '@temporalio/client';

// A long poll lasts a minute: a worker that lives was seen since then.
const FRESH_MS = 75_000;
// A worker whose slots are all in use polls for no more activities, but goes on polling for workflows.
const WORKFLOW_QUEUE = 1;

/** Identities of workers that polled a task queue lately. One that died a moment ago is among them. */
export async function findPollers(connection: Connection, namespace: string, taskQueue: string): Promise<string[]> {
  return (await describePollers(connection, namespace, taskQueue)).filter(isFresh).map(identityOf);
}

/** The same with those that were seen in the last minutes and may be gone. */
export async function findRecentPollers(
  connection: Connection,
  namespace: string,
  taskQueue: string,
): Promise<string[]> {
  return (await describePollers(connection, namespace, taskQueue)).map(identityOf);
}

async function describePollers(connection: Connection, namespace: string, taskQueue: string): Promise<Poller[]> {
  const { pollers } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: WORKFLOW_QUEUE,
  });
  return pollers ?? [];
}

interface Poller {
  readonly identity?: string | null;
  readonly lastAccessTime?: { readonly seconds?: unknown } | null;
}

const identityOf = ({ identity }: Poller): string => identity ?? 'unknown';

function isFresh({ lastAccessTime }: Poller): boolean {
  return Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1_000 < FRESH_MS;
}
