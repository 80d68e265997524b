import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { sleeper } from '../support/durable';
import { eventually } from '../support/eventually';
import { ownSetups } from '../support/own-setup';
import { nothingLeft, startSlow } from '../support/slow-execution';

const open = ownSetups();

test.each([
  ['runs on', 20, 0],
  ['has ended meanwhile', 3, 5_000],
])('R12: after kill -9 the next worker takes a program over that %s', async (_, seconds, waitMs) => {
  const setup = await open(500);
  const first = await setup.workerProcess();
  const execution = await startSlow(setup, seconds);
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
  await nothingLeft(setup);
});

test('a program that is taken over keeps its timeout', async () => {
  const setup = await open(500);
  const first = await setup.workerProcess();
  const execution = await startSlow(setup, 250, { timeout: 8_000 });
  first.kill('SIGKILL');
  await first.end();
  await delay(8_000);
  const second = await setup.worker();
  const result = await execution.result();
  expect(result).toMatchObject({ success: false, error: { code: 'TIMEOUT' } });
  expect(result.stdout).toBe(`${execution.token}\n`);
  await second.stop();
  await nothingLeft(setup);
});

test.each([
  [false, 'SANDBOX_LOST'],
  [true, undefined],
])('a sandbox that is gone with its program (idempotent: %s)', async (idempotent, failure) => {
  const setup = await open(500);
  const first = await setup.workerProcess();
  const execution = await startSlow(setup, 5, { idempotent });
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
  await nothingLeft(setup);
});

test('a worker that freezes loses its program to the next one, and leaves it alone when it wakes', async () => {
  // With its one slot taken it asks for no more work: what a frozen worker is handed is late by another heartbeat.
  const setup = await open(500, { MAX_CONCURRENT_EXECUTIONS: '1' });
  const first = await setup.workerProcess();
  const execution = await startSlow(setup, 25);
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
  await nothingLeft(setup);
});

test('a program whose workflow ended while no worker was there is ended by the next worker, and no other', async () => {
  const setup = await open(500);
  const first = await setup.workerProcess();
  const [ended, kept] = [await startSlow(setup, 250), await startSlow(setup, 30)];
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
  await nothingLeft(setup);
});

test('R15: a worker does not remove the sandboxes of another living worker of the same host', async () => {
  const setup = await open(500);
  const first = await setup.workerProcess();
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
