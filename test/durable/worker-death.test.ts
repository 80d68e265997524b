import { DurableSetup, sleeper } from '../support/durable';
import { eventually } from '../support/eventually';
import type { TypeScriptProcess } from '../support/typescript-process';
import { startWorkerProcess } from '../support/worker-child';

let setup: DurableSetup;

const open = async (graceMs: number): Promise<void> => {
  setup = await DurableSetup.open({ HOURGLASS_SHUTDOWN_GRACE_MS: String(graceMs) });
};

afterEach(async () => {
  await setup.close();
});

const startProcess = (): Promise<TypeScriptProcess> => startWorkerProcess(setup.place.settings);

/** Ends at once where the file it is given says that this is its second try, else not at all. */
const TWO_TRIES = [
  'import time',
  'if open("try").read() == "second":',
  '  result = "done"',
  'else:',
  '  print("up", flush=True)',
  '  time.sleep(250)',
].join('\n');

test('SIGTERM hands a run that does not end in time back, and another worker completes it', async () => {
  await open(500);
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

test('R12: after kill -9 the next start removes what was left, and the run is repeated', async () => {
  await open(500);
  setup.place.write('try', 'first');
  const first = await startProcess();
  const handle = await setup.hourglass.start({
    language: 'python',
    code: TWO_TRIES,
    inputFiles: [{ path: 'try' }],
    timeout: 240_000,
  });
  await setup.heartbeat(handle.workflowId, ({ tail }) => tail === 'up\n');
  const [left] = await setup.place.containers();
  expect(left).toMatch(/^hourglass-/);
  setup.place.write('try', 'second');
  first.kill('SIGKILL');
  await first.end();
  expect(await setup.place.containers()).toEqual([left]);

  const second = await setup.worker();
  expect(await setup.place.containers()).not.toContain(left);
  expect(await handle.result()).toMatchObject({ success: true, result: 'done' });
  await second.stop();
  expect(await setup.place.containers()).toEqual([]);
  await eventually(
    () => setup.place.leases(),
    (leases) => leases.length === 0,
  );
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
