import { MAX_FAILURES } from '../../src/contract';
import { ownSetups } from '../support/own-setup';
import { nothingLeft, startSlow } from '../support/slow-execution';

/** Workers that start one after the other, on a busy machine. */
const MANY_WORKERS_MS = 300_000;

const open = ownSetups();

test(
  'SIGTERM leaves a program alone that does not end in time, through more workers than attempts may fail',
  async () => {
    const setup = await open(500);
    let worker = await setup.workerProcess();
    const execution = await startSlow(setup, 120);
    let attempt = 1;
    for (let restarts = 0; restarts <= MAX_FAILURES; restarts += 1) {
      worker.kill('SIGTERM');
      expect(await worker.end()).toMatchObject({ code: 0 });
      expect(await setup.place.containers()).toEqual([execution.sandboxId]);
      worker = await setup.workerProcess();
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
    await nothingLeft(setup);
  },
  MANY_WORKERS_MS,
);

/** Ends at once where the file it is given says that this is its second try, else not at all. */
const TWO_TRIES = [
  'import time',
  'if open("try").read() == "second":',
  '  result = "done"',
  'else:',
  '  print("up", flush=True)',
  '  time.sleep(250)',
].join('\n');

test('SIGTERM ends a program that does not end in time where it is told to, and another worker starts it again where it may run twice', async () => {
  const setup = await open(500, { HOURGLASS_DETACH_ON_SHUTDOWN: 'false' });
  setup.place.write('try', 'first');
  const first = await setup.workerProcess();
  const handle = await setup.hourglass.start({
    language: 'python',
    code: TWO_TRIES,
    inputFiles: [{ path: 'try' }],
    timeout: 240_000,
    idempotent: true,
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

test('SIGTERM ends a program where it is told to, and it does not run again where it may not run twice', async () => {
  const setup = await open(500, { HOURGLASS_DETACH_ON_SHUTDOWN: 'false' });
  const first = await setup.workerProcess();
  const execution = await startSlow(setup, 200);
  first.kill('SIGTERM');
  expect(await first.end()).toMatchObject({ code: 0 });
  expect(await setup.place.containers()).toEqual([]);
  const second = await setup.worker();
  const details = { mayHaveRun: true };
  await expect(execution.result()).rejects.toMatchObject({ code: 'WORKER_SHUTDOWN', retryable: false, details });
  expect(second.logged('Creating sandbox container')).toEqual([]);
  await second.stop();
});

test('SIGTERM lets a run end that needs less than the grace time', async () => {
  const setup = await open(30_000);
  const first = await setup.workerProcess();
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
