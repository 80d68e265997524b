import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_FAILURES, type ExecutionRequest } from '../../src/contract';
import { DurableSetup, sleeper } from '../support/durable';
import { eventually } from '../support/eventually';
import type { Settings } from '../support/test-worker';
import type { TypeScriptProcess } from '../support/typescript-process';
import { startWorkerProcess } from '../support/worker-child';

/** Workers that start one after the other, on a busy machine. */
const MANY_WORKERS_MS = 300_000;

let setup: DurableSetup;

const open = async (graceMs: number, settings: Settings = {}): Promise<void> => {
  setup = await DurableSetup.open({ HOURGLASS_SHUTDOWN_GRACE_MS: String(graceMs), ...settings });
};

afterEach(async () => {
  await setup.close();
});

const startProcess = (): Promise<TypeScriptProcess> => startWorkerProcess(setup.place.settings);

/** Says which of its starts this is, and ends after some time with what it said. */
const slow = (seconds: number): string =>
  [
    'import secrets, time',
    'token = secrets.token_hex(8)',
    'print(token, flush=True)',
    `time.sleep(${seconds})`,
    'open("token.txt", "w").write(token)',
    'print("end")',
    'result = token',
  ].join('\n');

async function startSlow(seconds: number, facts: Partial<ExecutionRequest> = {}) {
  const request: ExecutionRequest = {
    language: 'python',
    code: slow(seconds),
    outputFiles: [{ sandboxPath: 'token.txt' }],
    timeout: 240_000,
    ...facts,
  };
  const handle = await setup.hourglass.start(request);
  const { tail, sandboxId } = await setup.heartbeat(handle.workflowId, (beat) => (beat.tail ?? '').length > 16);
  return { ...handle, token: (tail ?? '').trim(), sandboxId };
}

/** Nothing is left of an execution but its result. */
async function nothingLeft(): Promise<void> {
  await eventually(
    async () => [await setup.place.containers(), await setup.place.leases()],
    (left) => left.every((list) => list.length === 0),
  );
}

test.each([
  ['runs on', 20, 0],
  ['has ended meanwhile', 3, 5_000],
])('R12: after kill -9 the next worker takes a program over that %s', async (_, seconds, waitMs) => {
  await open(500);
  const first = await startProcess();
  const execution = await startSlow(seconds);
  first.kill('SIGKILL');
  await first.end();
  await delay(waitMs);
  const second = await setup.worker();
  const result = await execution.result();
  expect(result).toMatchObject({
    success: true,
    result: execution.token,
    metadata: { sandboxId: execution.sandboxId },
  });
  expect(result.stdout).toBe(`${execution.token}\nend\n`);
  expect(result.metadata.attempt).toBeGreaterThan(1);
  expect(readFileSync(setup.place.file('token.txt'), 'utf8')).toBe(execution.token);
  expect(second.logged('Sandbox of an earlier attempt taken over')).toHaveLength(1);
  await second.stop();
  await nothingLeft();
});

test('a program that is taken over keeps its timeout', async () => {
  await open(500);
  const first = await startProcess();
  const execution = await startSlow(250, { timeout: 8_000 });
  first.kill('SIGKILL');
  await first.end();
  await delay(8_000);
  const second = await setup.worker();
  const result = await execution.result();
  expect(result).toMatchObject({ success: false, error: { code: 'TIMEOUT' } });
  expect(result.stdout).toBe(`${execution.token}\n`);
  await second.stop();
  await nothingLeft();
});

test.each([
  [false, 'SANDBOX_LOST'],
  [true, undefined],
])('a sandbox that is gone with its program (idempotent: %s)', async (idempotent, failure) => {
  await open(500);
  const first = await startProcess();
  const execution = await startSlow(5, { idempotent });
  first.kill('SIGKILL');
  await first.end();
  await setup.place.removeContainer(execution.sandboxId ?? '');
  const second = await setup.worker();
  if (failure === undefined) {
    expect((await execution.result()).result).not.toBe(execution.token);
  } else {
    await expect(execution.result()).rejects.toMatchObject({ code: failure, retryable: false });
  }
  await second.stop();
  await nothingLeft();
});

test('a worker that freezes loses its program to the next one, and leaves it alone when it wakes', async () => {
  // With its one slot taken it asks for no more work: what a frozen worker is handed is late by another heartbeat.
  await open(500, { MAX_CONCURRENT_EXECUTIONS: '1' });
  const first = await startProcess();
  const execution = await startSlow(25);
  first.kill('SIGSTOP');
  const second = await setup.worker();
  await eventually(
    () => second.logged('Sandbox of an earlier attempt taken over'),
    (lines) => lines.length > 0,
  );
  first.kill('SIGCONT');
  const result = await execution.result();
  expect(result).toMatchObject({ result: execution.token, metadata: { sandboxId: execution.sandboxId } });
  expect(result.stdout).toBe(`${execution.token}\nend\n`);
  first.kill('SIGTERM');
  expect(await first.end()).toMatchObject({ code: 0 });
  await second.stop();
  await nothingLeft();
});

test(
  'SIGTERM leaves a program alone that does not end in time, through more workers than attempts may fail',
  async () => {
    await open(500);
    let worker = await startProcess();
    const execution = await startSlow(75);
    let attempt = 1;
    for (let restarts = 0; restarts <= MAX_FAILURES; restarts += 1) {
      worker.kill('SIGTERM');
      expect(await worker.end()).toMatchObject({ code: 0 });
      expect(await setup.place.containers()).toEqual([execution.sandboxId]);
      worker = await startProcess();
      const next = await setup.heartbeat(
        execution.workflowId,
        (beat) => (beat.attempt ?? 0) > attempt && beat.phase === 'running',
      );
      attempt = next.attempt ?? 0;
      expect(next.failures).toBeUndefined();
    }
    const result = await execution.result();
    expect(result).toMatchObject({ result: execution.token, metadata: { sandboxId: execution.sandboxId, attempt } });
    expect(result.stdout).toBe(`${execution.token}\nend\n`);
    worker.kill('SIGTERM');
    await worker.end();
    await nothingLeft();
  },
  MANY_WORKERS_MS,
);

test('a program whose workflow ended while no worker was there is ended by the next worker, and no other', async () => {
  await open(500);
  const first = await startProcess();
  const [ended, kept] = [await startSlow(250), await startSlow(30)];
  first.kill('SIGKILL');
  await first.end();
  await setup.client.workflow.getHandle(ended.workflowId).terminate('enough');
  const second = await setup.worker();
  await eventually(
    () => setup.place.containers(),
    (names) => !names.includes(ended.sandboxId ?? ''),
  );
  expect((await setup.place.leases()).map(({ sandboxName }) => sandboxName)).not.toContain(ended.sandboxId);
  expect(await kept.result()).toMatchObject({ result: kept.token, metadata: { sandboxId: kept.sandboxId } });
  await second.stop();
  await nothingLeft();
});

/** Ends at once where the file it is given says that this is its second try, else not at all. */
const TWO_TRIES = [
  'import time',
  'if open("try").read() == "second":',
  '  result = "done"',
  'else:',
  '  print("up", flush=True)',
  '  time.sleep(250)',
].join('\n');

test('SIGTERM ends a program that does not end in time where it is told to, and another worker starts it again', async () => {
  await open(500, { HOURGLASS_DETACH_ON_SHUTDOWN: 'false' });
  setup.place.write('try', 'first');
  const first = await startProcess();
  const handle = await setup.hourglass.start({
    language: 'python',
    code: TWO_TRIES,
    inputFiles: [{ path: 'try' }],
    timeout: 240_000,
  });
  await setup.heartbeat(handle.workflowId, ({ tail }) => tail === 'up\n');
  setup.place.write('try', 'second');
  first.kill('SIGTERM');
  expect(await first.end()).toMatchObject({ code: 0 });
  expect(await setup.place.containers()).toEqual([]);
  const second = await setup.worker();
  const result = await handle.result();
  expect(result).toMatchObject({ success: true, result: 'done' });
  expect(result.metadata.attempt).toBeGreaterThan(1);
  await second.stop();
});

test('SIGTERM lets a run end that needs less than the grace time', async () => {
  await open(30_000);
  const first = await startProcess();
  const handle = await setup.hourglass.start({
    language: 'python',
    code: 'import time\nprint("up", flush=True)\ntime.sleep(5)\nresult = "ended"',
  });
  await setup.heartbeat(handle.workflowId, ({ tail }) => tail === 'up\n');
  first.kill('SIGTERM');
  await first.end();
  // The activity is complete; its workflow needs a worker that still takes workflow tasks.
  const second = await setup.worker();
  expect(await handle.result()).toMatchObject({ result: 'ended', metadata: { attempt: 1 } });
  await second.stop();
});

test('R15: a worker does not remove the sandboxes of another living worker of the same host', async () => {
  await open(500);
  const first = await startProcess();
  const handle = await setup.hourglass.start({ language: 'python', code: sleeper('up'), timeout: 240_000 });
  await setup.heartbeat(handle.workflowId, ({ tail }) => tail === 'up\n');
  const before = await setup.place.containers();
  const second = await setup.worker();
  expect(await setup.place.containers()).toEqual(before);
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow('was cancelled');
  await second.stop();
  first.kill('SIGTERM');
  await first.end();
});
