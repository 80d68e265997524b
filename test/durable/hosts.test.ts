import { join } from 'node:path';
import type { ExecutionRequest, ExecutionResult } from '../../src/contract';
import { DurableSetup } from '../support/durable';
import { eventually } from '../support/eventually';
import { withOwnWorkflows } from '../support/own-workflows';
import { WorkerPlace, type Settings, type TestWorker } from '../support/test-worker';
import type { TypeScriptProcess } from '../support/typescript-process';
import { startWorkerProcess } from '../support/worker-child';

let setup: DurableSetup;
let here: TestWorker | undefined;
let there: TypeScriptProcess;

/** A host of its own, as workers see it: another state folder. Engine, task queue and workspace are the same. */
const startThere = (): Promise<TypeScriptProcess> => startWorkerProcess({ ...setup.place.settings, ...otherHost() });

const otherHost = (): Settings => ({ HOURGLASS_STATE_DIR: join(setup.place.dir, 'other-state') });

beforeEach(async () => {
  here = undefined;
  setup = await DurableSetup.open({ HOURGLASS_SHUTDOWN_GRACE_MS: '500' });
  there = await startThere();
});

afterEach(async () => {
  await here?.stop();
  there.kill('SIGKILL');
  await there.end();
  await removeThere();
  await setup.close();
});

/** What a host that never comes back leaves is nobody's here for half an hour. */
async function removeThere(): Promise<void> {
  const there = new WorkerPlace(setup.server.address, otherHost());
  for (const name of await there.containers()) await there.removeContainer(name);
  there.remove();
}

/** Tells its start from any other one. */
const code = (seconds: number): string =>
  ['import secrets, time', 'result = secrets.token_hex(8)', 'print(result, flush=True)', `time.sleep(${seconds})`].join(
    '\n',
  );

type Start = (request: ExecutionRequest) => Promise<{ workflowId: string; result: () => Promise<ExecutionResult> }>;

const started: Start = (request) => setup.hourglass.start(request);

/** Starts a program on the other host; when it runs, that host's worker is killed. */
async function losingItsHost(facts: Partial<ExecutionRequest>, seconds = 5, start: Start = started) {
  const handle = await start({ language: 'python', code: code(seconds), timeout: 240_000, ...facts });
  const { hostId, sandboxId, tail } = await setup.heartbeat(handle.workflowId, (beat) => Boolean(beat.tail));
  there.kill('SIGKILL');
  await there.end();
  return { handle, hostId, sandboxId, token: (tail ?? '').trim() };
}

test('a program whose host is lost may have run: the failure says where, and it does not run again', async () => {
  const { handle, hostId, sandboxId } = await losingItsHost({ hostLostAfter: 2_000 });
  here = await setup.worker();
  await expect(handle.result()).rejects.toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    details: { hostId, sandboxId, phase: 'running', mayHaveRun: true },
  });
  expect(here.logged('Creating sandbox container')).toEqual([]);
});

test.each<Partial<ExecutionRequest>>([{ idempotent: true }, { onHostLost: 'rerun' }])(
  'a program that may run twice runs again elsewhere: %p',
  async (facts) => {
    const { handle, token } = await losingItsHost({ hostLostAfter: 2_000, ...facts }, 1);
    here = await setup.worker();
    const result = await handle.result();
    expect(result).toMatchObject({ success: true });
    expect(result.result).not.toBe(token);
  },
);

/** Resolves when an attempt has come to this host that has to ask the other one. */
async function handedBack(): Promise<void> {
  here = await setup.worker();
  await eventually(
    () => here?.logged('Code execution failed'),
    (lines) => lines?.some((line) => line.code === 'OTHER_HOST') === true,
  );
}

test('a host that comes back finishes what it has begun, wherever the attempt went first', async () => {
  const { handle, hostId, sandboxId, token } = await losingItsHost({ hostLostAfter: 120_000 }, 15);
  await handedBack();
  there = await startThere();
  const result = await handle.result();
  expect(result).toMatchObject({ result: token, metadata: { hostId, sandboxId } });
});

test("a workflow of somebody's own that calls the activity by executeOnHosts has the same", async () => {
  const activities = setup.place.config.temporal.taskQueue;
  await withOwnWorkflows(setup, async (taskQueue) => {
    const start: Start = (request) => {
      const options = { workflowId: `own-${activities}`, taskQueue, args: [request, activities] };
      return setup.client.workflow.start('ownWorkflow', options);
    };
    const { handle, hostId, sandboxId, token } = await losingItsHost({ hostLostAfter: 120_000 }, 15, start);
    await handedBack();
    there = await startThere();
    const result = await handle.result();
    expect(result).toMatchObject({ result: token, metadata: { hostId, sandboxId } });
  });
});
