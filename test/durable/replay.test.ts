import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Runtime, Worker, type WorkflowBundlePath } from '@temporalio/worker';
import { DurableSetup } from '../support/durable';
import { decodeHistory, type History } from '../support/histories';
import { quietRuntime, TestWorker } from '../support/test-worker';
import { workflowBundle } from '../support/workflow-bundle';

const HISTORIES = join(__dirname, 'histories');

/** One file for each way a released version of a workflow has ended; a file is never changed, only added. */
const recorded = readdirSync(HISTORIES).filter((name) => name.endsWith('.binpb'));

const read = (name: string): History => decodeHistory(readFileSync(join(HISTORIES, name)));

/** A session goes by its id, and refuses any other one. */
const workflowIdOf = ({ events }: History): string | undefined =>
  events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? undefined;

let bundle: WorkflowBundlePath;

beforeAll(async () => {
  quietRuntime();
  bundle = { codePath: await workflowBundle() };
});

// A replay ends no connection, and with the last connection alone the runtime would end by itself.
afterAll(() => Runtime.instance().shutdown());

test.each(recorded)('the history %s still replays', async (name) => {
  const history = read(name);
  await Worker.runReplayHistory({ workflowBundle: bundle }, history, workflowIdOf(history));
});

test('a history that these workflows cannot have made is told apart', async () => {
  const history = read('execute-code-v1-result.binpb');
  for (const { activityTaskScheduledEventAttributes: scheduled } of history.events ?? []) {
    if (scheduled?.activityType) scheduled.activityType.name = 'somethingElse';
  }
  await expect(Worker.runReplayHistory({ workflowBundle: bundle }, history)).rejects.toThrow('somethingElse');
});

test('executions run on a worker that replays every workflow task from its history', async () => {
  const setup = await DurableSetup.open();
  const worker = await TestWorker.start(setup.place.config, { maxCachedWorkflows: 0 });
  const request = { language: 'python', code: 'result = 1' } as const;
  const results = await Promise.all([1, 2, 3].map(() => setup.hourglass.run(request)));
  expect(results.map(({ result }) => result)).toEqual([1, 1, 1]);
  await worker.stop();
  await setup.close();
});
