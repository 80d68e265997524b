import { Client, Connection, type WorkflowExecutionDescription } from '@temporalio/client';
import { defaultPayloadConverter, WorkflowNotFoundError } from '@temporalio/common';
import type { HeartbeatDetails } from '../../src/contract';
import { createHourglassClient, type HourglassClient } from '../../src/client';
import { eventually } from './eventually';
import { startTemporal, type TestServer } from './temporal';
import { TestWorker, WorkerPlace, type Settings } from './test-worker';
import type { TypeScriptProcess } from './typescript-process';
import { startWorkerProcess } from './worker-child';

/** One activity that is not finished, as the server describes it. */
export interface PendingActivity {
  readonly attempt: number;
  readonly paused: boolean;
  readonly heartbeat: HeartbeatDetails | undefined;
}

/** A server, a client and a place for workers; `close` removes all of it. */
export class DurableSetup {
  private constructor(
    readonly server: TestServer,
    readonly connection: Connection,
    readonly place: WorkerPlace,
    readonly hourglass: HourglassClient,
    /** The SDK's own client, for what ours does not do. */
    readonly client: Client,
  ) {}

  /** Settings of the workers, and of the server's dynamic configuration (`key=value`). */
  static async open(settings: Settings = {}, ofServer: readonly string[] = []): Promise<DurableSetup> {
    const server = await startTemporal(ofServer);
    const connection = await Connection.connect({ address: server.address });
    const place = new WorkerPlace(server.address, settings);
    const taskQueue = place.config.temporal.taskQueue;
    const hourglass = await createHourglassClient({ connection, taskQueue });
    return new DurableSetup(server, connection, place, hourglass, new Client({ connection }));
  }

  worker(): Promise<TestWorker> {
    return TestWorker.start(this.place.config);
  }

  /** A worker in a process of its own, which can be killed. */
  workerProcess(): Promise<TypeScriptProcess> {
    return startWorkerProcess(this.place.settings);
  }

  /** The workflow's first activity that is not finished; undefined also where the workflow is not there yet. */
  async pending(workflowId: string): Promise<PendingActivity | undefined> {
    const raw = await this.describe(workflowId);
    if (raw === undefined) return undefined;
    const [activity] = raw.pendingActivities ?? [];
    if (!activity) return undefined;
    const [payload] = activity.heartbeatDetails?.payloads ?? [];
    const heartbeat = payload ? defaultPayloadConverter.fromPayload<HeartbeatDetails>(payload) : undefined;
    return { attempt: activity.attempt ?? 0, paused: activity.paused ?? false, heartbeat };
  }

  private async describe(workflowId: string): Promise<WorkflowExecutionDescription['raw'] | undefined> {
    try {
      return (await this.client.workflow.getHandle(workflowId).describe()).raw;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  /** Resolves when a heartbeat of the workflow's activity says so. */
  async heartbeat(
    workflowId: string,
    isThere: (heartbeat: HeartbeatDetails, activity: PendingActivity) => boolean,
  ): Promise<HeartbeatDetails> {
    const found = await eventually(
      () => this.pending(workflowId),
      (activity) => activity?.heartbeat !== undefined && isThere(activity.heartbeat, activity),
    );
    if (found?.heartbeat === undefined) throw new Error('no heartbeat');
    return found.heartbeat;
  }

  async close(): Promise<void> {
    await this.connection.close();
    await this.server.stop();
    this.place.remove();
  }
}

/** Says `text` on stdout at once and then does nothing for a long time. */
export function sleeper(text: string): string {
  return `import time\nprint(${JSON.stringify(text)}, flush=True)\ntime.sleep(250)`;
}
