import { EventEmitter, once } from 'node:events';
import { resolve } from 'node:path';
import { Context } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createActivities } from '../../activities';
import { createSessionActivities } from '../../activities/sessions';
import { createHourglassClient, type HourglassClient } from '../../src/client';
import { sessionQueue, type ExecutionRequest } from '../../src/contract';
import { quietRuntime } from '../support/test-worker';
import { startTemporal, type TestServer } from '../support/temporal';
import { WarmHost } from './warm-host';

const TASK_QUEUE = 'bench';
const HEARTBEAT_MS = 500;
const THROTTLE = { maxHeartbeatThrottleInterval: HEARTBEAT_MS, defaultHeartbeatThrottleInterval: HEARTBEAT_MS };

/** Beats as our activity does: the server tells of a cancellation in its answers. */
async function waitForCancellation(begun: EventEmitter): Promise<void> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  begun.emit('begun');
  await context.cancelled.finally(() => clearInterval(timer));
}

const isAwaited = (): Promise<boolean> => Promise.resolve(true);

/** A server, and one worker that has our activity and one that does nothing; with `sessions` one for their calls, too. */
export class TemporalSetup {
  private constructor(
    private readonly server: TestServer,
    private readonly connection: Connection,
    private readonly native: NativeConnection,
    private readonly workers: readonly Worker[],
    private readonly running: Promise<unknown>,
    readonly host: WarmHost,
    readonly client: Client,
    readonly hourglass: HourglassClient,
    private readonly begun: EventEmitter,
  ) {}

  static async open({ sessions = false } = {}): Promise<TemporalSetup> {
    quietRuntime();
    const server = await startTemporal();
    const host = await WarmHost.open();
    const connection = await Connection.connect({ address: server.address });
    const native = await NativeConnection.connect({ address: server.address });
    const begun = new EventEmitter();
    const activities = {
      ...createActivities(host.test.host, isAwaited),
      ...createSessionActivities(host.test.host, isAwaited),
      noop: (input: unknown) => Promise.resolve(input),
      waiting: () => waitForCancellation(begun),
    };
    const options = { connection: native, activities, ...THROTTLE };
    const workflowsPath = resolve(__dirname, 'workflows.ts');
    const workers = [await Worker.create({ ...options, taskQueue: TASK_QUEUE, workflowsPath })];
    const taskQueue = sessionQueue(TASK_QUEUE, host.test.host.owner.hostId);
    if (sessions) workers.push(await Worker.create({ ...options, taskQueue }));
    const running = Promise.all(workers.map((worker) => worker.run()));
    const client = new Client({ connection });
    const hourglass = await createHourglassClient({ connection, taskQueue: TASK_QUEUE });
    return new TemporalSetup(server, connection, native, workers, running, host, client, hourglass, begun);
  }

  /** Runs a workflow to its end; `noop` does nothing with the request. */
  async execute(workflow: 'executeCode' | 'noop', request: ExecutionRequest): Promise<unknown> {
    const handle = await this.start(workflow, request);
    return handle.result();
  }

  start(
    workflow: 'executeCode' | 'noop' | 'noopUpdates' | 'waiting',
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
    for (const worker of this.workers) worker.shutdown();
    await this.running;
    await this.host.close();
    await this.native.close();
    await this.connection.close();
    await this.server.stop();
  }
}
