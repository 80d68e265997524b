import { resolve } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { DurableSetup } from './durable';

/** A worker that serves the workflows of `test-workflows.ts`, on a queue of its own. */
export interface OwnWorkflows {
  readonly taskQueue: string;
  stop(): Promise<void>;
}

export async function startOwnWorkflows({ server, place }: DurableSetup): Promise<OwnWorkflows> {
  const connection = await NativeConnection.connect({ address: server.address });
  const taskQueue = `${place.config.temporal.taskQueue}-workflows`;
  const workflowsPath = resolve(__dirname, 'test-workflows.ts');
  const worker = await Worker.create({ connection, taskQueue, workflowsPath });
  const running = worker.run();
  const stop = async (): Promise<void> => {
    worker.shutdown();
    await running;
    await connection.close();
  };
  return { taskQueue, stop };
}

/** Serves these workflows while `use` goes on. */
export async function withOwnWorkflows<T>(setup: DurableSetup, use: (taskQueue: string) => Promise<T>): Promise<T> {
  const own = await startOwnWorkflows(setup);
  return use(own.taskQueue).finally(() => own.stop());
}
