/** Runs `describePrices`: a worker of your own beside Hourglass's. Start `hourglass dev` in another terminal before. */
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { describePrices } from './workflow';

const TASK_QUEUE = 'prices';

async function main(): Promise<void> {
  const connection = await NativeConnection.connect({ address: 'localhost:7233' });
  const worker = await Worker.create({
    connection,
    taskQueue: TASK_QUEUE,
    workflowsPath: require.resolve('./workflow'),
  });
  const client = new Client({ connection: await Connection.connect({ address: 'localhost:7233' }) });
  const sentence = await worker.runUntil(
    client.workflow.execute<typeof describePrices>('describePrices', {
      taskQueue: TASK_QUEUE,
      workflowId: `prices-${Date.now()}`,
      args: [[9.5, 12, 7.25]],
    }),
  );
  process.stdout.write(sentence);
  await Promise.all([connection.close(), client.connection.close()]);
}

void main();
