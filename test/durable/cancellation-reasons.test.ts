import { ExecutionCancelled } from '../../src/client';
import type { ExecutionRequest, ExecutionResult } from '../../src/contract';
import { MemoryGate } from '../../src/execution/memory-gate';
import { OutputBatch } from '../../src/execution/output-batch';
import { WarmPool } from '../../src/pool';
import { GuestChannel } from '../../src/runner';
import { ActivityControl } from '../support/activity-control';
import { DurableSetup } from '../support/durable';
import { eventually } from '../support/eventually';
import { MethodGate } from '../support/method-gate';
import { startOwnWorkflows, type OwnWorkflows } from '../support/own-workflows';
import { nothingLeft } from '../support/slow-execution';
import { StartObserver } from '../support/start-observer';
import type { TestWorker } from '../support/test-worker';

/** For a program of two seconds and its sandbox's start; of nine seconds only for a part. */
const ATTEMPT_MS = 6_000;

let setup: DurableSetup;
let worker: TestWorker;
let observer: StartObserver;
let workflows: OwnWorkflows;
/** Of the execution that is on its way. */
let signal: AbortSignal | undefined;
let names = 0;

/** The first step of an execution at which its signal is known. */
function noteSignal(): void {
  const acquire = Reflect.get(MemoryGate.prototype, 'acquire');
  jest.spyOn(MemoryGate.prototype, 'acquire').mockImplementation(function (this: MemoryGate, mb, wait) {
    signal = wait.signal;
    return Reflect.apply(acquire, this, [mb, wait]);
  });
}

beforeAll(async () => {
  noteSignal();
  setup = await DurableSetup.open({ HOURGLASS_SHUTDOWN_GRACE_MS: '500' });
  observer = new StartObserver();
  worker = await setup.worker();
  workflows = await startOwnWorkflows(setup);
  setup.place.write('in.txt', 'input');
});

afterAll(async () => {
  observer.stop();
  await worker.stop();
  await workflows.stop();
  await setup.close();
});

/** Leaves a mark that the observer sees, for as long as that takes, and a file. */
function programOf(name: string, seconds: number): ExecutionRequest {
  const lines = [
    'import secrets, time',
    'token = secrets.token_hex(8)',
    `open(f"run-${name}-{token}", "w").close()`,
    'print("up", flush=True)',
    `time.sleep(${seconds})`,
    'open("out.txt", "w").write(token)',
    'result = token',
  ];
  const files = { inputFiles: [{ path: 'in.txt' }], outputFiles: [{ sandboxPath: 'out.txt' }] };
  return { language: 'python', code: lines.join('\n'), ...files };
}

interface Running {
  readonly name: string;
  readonly workflowId: string;
  readonly result: () => Promise<unknown>;
}

interface Phase {
  /** Whether the program has started by then. */
  readonly hasStarted: boolean;
  /** Holds the execution there; without it the program's own time does. */
  readonly hold?: () => MethodGate;
}

const any = (): boolean => true;
const gate = (target: object, method: string, which: (...args: never[]) => boolean = any): MethodGate =>
  new MethodGate(target, method, which, () => signal);

const PHASES: Readonly<Record<string, Phase>> = {
  queued: { hasStarted: false, hold: () => gate(WarmPool.prototype, 'lease') },
  staging: { hasStarted: false, hold: () => gate(GuestChannel.prototype, 'send', (type: string) => type === 'FILE') },
  running: { hasStarted: true },
  collecting: { hasStarted: true, hold: () => gate(OutputBatch.prototype, 'add') },
};

interface Reason {
  /** What the attempt hears. */
  readonly said: string;
  readonly give: (execution: Running) => Promise<unknown>;
  /** What lets it go on, once the attempt has ended. */
  readonly then?: (execution: Running) => Promise<unknown>;
  /** How its workflow ends; without it with the result of its one start. */
  readonly how?: 'cancelled' | 'terminated';
  /** The activity has so long for an attempt. */
  readonly attemptMs?: number;
}

const REASONS: Readonly<Record<string, Reason>> = {
  cancelled: {
    said: 'CANCELLED',
    give: ({ workflowId }) => setup.client.workflow.getHandle(workflowId).cancel(),
    how: 'cancelled',
  },
  terminated: {
    said: 'NOT_FOUND',
    give: ({ workflowId }) => setup.client.workflow.getHandle(workflowId).terminate(),
    how: 'terminated',
  },
  paused: {
    said: 'PAUSED',
    give: ({ workflowId }) => new ActivityControl(setup, workflowId).pause(),
    then: async ({ workflowId }) => {
      await eventually(
        () => setup.pending(workflowId),
        (activity) => activity?.paused === true,
      );
      await new ActivityControl(setup, workflowId).unpause();
    },
  },
  reset: { said: 'RESET', give: ({ workflowId }) => new ActivityControl(setup, workflowId).reset() },
  // A server that has given an attempt up knows it no more.
  'timed out': { said: 'NOT_FOUND', give: () => Promise.resolve(), attemptMs: ATTEMPT_MS },
  'shut down': {
    said: 'WORKER_SHUTDOWN',
    give: () => worker.stop(),
    then: async () => {
      worker = await setup.worker();
    },
  },
};

async function start(name: string, { attemptMs }: Reason, { hold }: Phase): Promise<Running> {
  const workflowId = `reason-${name}`;
  const { taskQueue } = workflows;
  const request = programOf(name, attemptMs !== undefined && hold === undefined ? 9 : 2);
  const activities = setup.place.config.temporal.taskQueue;
  const args: [ExecutionRequest, number, string, number] = [request, attemptMs ?? 120_000, activities, 10];
  await setup.client.workflow.start('shortAttempt', { workflowId, taskQueue, args });
  return { name, workflowId, result: () => setup.hourglass.result(workflowId) };
}

/** Gives the reason when the execution is where it is to be, and resolves when the attempt has ended by it. */
async function endBy(name: string, reason: Reason, phase: Phase): Promise<Running> {
  const held = phase.hold?.();
  const first = worker;
  try {
    const heard = first.logged('Code execution cancelled').length;
    const execution = await start(name, reason, phase);
    if (held === undefined) await setup.heartbeat(execution.workflowId, ({ tail }) => tail === 'up\n');
    else await held.reached;
    await reason.give(execution);
    await eventually(
      () => first.logged('Code execution cancelled').slice(heard),
      (lines) => lines.some((line) => line.reason === reason.said),
    );
    return execution;
  } finally {
    held?.remove();
  }
}

async function checkEnd({ name, result }: Running, { how }: Reason, { hasStarted }: Phase): Promise<void> {
  if (how !== undefined) {
    const error: unknown = await result().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ExecutionCancelled);
    expect(error).toMatchObject({ how });
    expect(observer.of(name).size).toBe(hasStarted ? 1 : 0);
  } else {
    const found = (await result()) as ExecutionResult;
    expect([...observer.of(name)]).toEqual([found.result]);
    expect(found.stdout).toBe('up\n');
  }
  await nothingLeft(setup);
}

const cases = Object.keys(PHASES).flatMap((phase) => Object.keys(REASONS).map((reason) => [phase, reason] as const));

test.each(cases)('an execution that is %s is %s', async (phaseName, reasonName) => {
  const [phase, reason] = [PHASES[phaseName], REASONS[reasonName]];
  if (phase === undefined || reason === undefined) throw new Error('no such case');
  const execution = await endBy(`c${(names += 1)}`, reason, phase);
  await reason.then?.(execution);
  await checkEnd(execution, reason, phase);
});
