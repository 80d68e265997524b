import { resolve } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { DurableSetup } from './durable';

/** Serves the workflows of `test-workflows.ts` from a worker of their own, on a queue of their own, while `use` goes on. */
export async function withOwnWorkflows<T>(
  { server, place }: DurableSetup,
  use: (taskQueue: string) => Promise<T>,
): Promise<T> {
  const connection = await NativeConnection.connect({ address: server.address });
  try {
    const taskQueue = `${place.config.temporal.taskQueue}-workflows`;
    const workflowsPath = resolve(__dirname, 'test-workflows.ts');
    const worker = await Worker.create({ connection, taskQueue, workflowsPath });
    return await worker.runUntil(() => use(taskQueue));
  } finally {
    await connection.close();
  }
}
