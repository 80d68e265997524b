import type { NativeConnection } from '@temporalio/worker';
import type { Log } from '../log';
import type { Instruments } from './instruments';

/** The server counts by itself at about this pace. */
const SAMPLE_MS = 5_000;
const ANSWER_MS = 4_000;
/** As Temporal's API numbers the kinds of tasks. */
const TASK_TYPES = { workflow: 1, activity: 2 } as const;

export interface BacklogSource {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly log: Log;
}

type TaskType = keyof typeof TASK_TYPES;

async function backlogOf({ connection, namespace, taskQueue }: BacklogSource, type: TaskType): Promise<number> {
  const description = await connection.withDeadline(Date.now() + ANSWER_MS, () =>
    connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: TASK_TYPES[type],
      reportStats: true,
    }),
  );
  return Number(description.stats?.approximateBacklogCount ?? 0);
}

/**
 * Keeps the gauge at what the server says of the task queue, one question at a time, until the returned function is called.
 * A server that does not answer is for the log; the gauge keeps its last value.
 */
export function sampleBacklog(instruments: Pick<Instruments, 'backlog'>, source: BacklogSource): () => void {
  let asking = false;
  const ask = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    try {
      for (const task_type of ['workflow', 'activity'] as const)
        instruments.backlog(await backlogOf(source, task_type), { task_type });
    } catch (error) {
      source.log.debug({ error }, "The task queue's backlog could not be read");
    } finally {
      asking = false;
    }
  };
  void ask();
  const timer = setInterval(() => void ask(), SAMPLE_MS).unref();
  return () => clearInterval(timer);
}
