import { EventEmitter, once } from 'node:events';
import { resolve } from 'node:path';
import { Context } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createActivities } from '../../activities';
import type { ExecutionRequest } from '../../src/contract';
import { quietRuntime } from '../support/test-worker';
import { startTemporal, type TestServer } from '../support/temporal';
import { WarmHost } from './warm-host';

const TASK_QUEUE = 'bench';
const HEARTBEAT_MS = 500;

/** Beats as our activity does: the server tells of a cancellation in its answers. */
async function waitForCancellation(begun: EventEmitter): Promise<void> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  begun.emit('begun');
  await context.cancelled.finally(() => clearInterval(timer));
}

/** A server, and one worker that has our activity and one that does nothing. */
export class TemporalSetup {
  private constructor(
    private readonly server: TestServer,
    private readonly connection: Connection,
    private readonly native: NativeConnection,
    private readonly worker: Worker,
    private readonly running: Promise<void>,
    readonly host: WarmHost,
    readonly client: Client,
    private readonly begun: EventEmitter,
  ) {}

  static async open(): Promise<TemporalSetup> {
    quietRuntime();
    const server = await startTemporal();
    const host = await WarmHost.open();
    const connection = await Connection.connect({ address: server.address });
    const native = await NativeConnection.connect({ address: server.address });
    const begun = new EventEmitter();
    const worker = await Worker.create({
      connection: native,
      taskQueue: TASK_QUEUE,
      workflowsPath: resolve(__dirname, 'workflows.ts'),
      activities: {
        ...createActivities(host.test.host, () => Promise.resolve(true)),
        noop: (input: unknown) => Promise.resolve(input),
        waiting: () => waitForCancellation(begun),
      },
      maxHeartbeatThrottleInterval: HEARTBEAT_MS,
      defaultHeartbeatThrottleInterval: HEARTBEAT_MS,
    });
    const client = new Client({ connection });
    return new TemporalSetup(server, connection, native, worker, worker.run(), host, client, begun);
  }

  /** Runs a workflow to its end; `noop` does nothing with the request. */
  async execute(workflow: 'executeCode' | 'noop', request: ExecutionRequest): Promise<unknown> {
    const handle = await this.start(workflow, request);
    return handle.result();
  }

  start(
    workflow: 'executeCode' | 'noop' | 'waiting',
    request: ExecutionRequest,
  ): ReturnType<Client['workflow']['start']> {
    const workflowId = `bench-${process.pid}-${Math.random().toString(36).slice(2)}`;
    return this.client.workflow.start(workflow, { taskQueue: TASK_QUEUE, workflowId, args: [request] });
  }

  /** Resolves when the next activity begins that waits for its cancellation. */
  async waits(): Promise<void> {
    await once(this.begun, 'begun');
  }

  async close(): Promise<void> {
    this.worker.shutdown();
    await this.running;
    await this.host.close();
    await this.native.close();
    await this.connection.close();
    await this.server.stop();
  }
}
