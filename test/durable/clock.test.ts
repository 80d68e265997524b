import { MovedClock } from '../support/moved-clock';
import { ownSetups } from '../support/own-setup';
import { nothingLeft, startSlow } from '../support/slow-execution';
import { startWorkerProcess } from '../support/worker-child';

const HOUR = 3_600_000;
/** As far as a host's check of itself lets a worker start beside its engine. */
const JUMP_MS = 55_000;

const open = ownSetups();

test.each([24 * HOUR, -24 * HOUR])('a clock that is moved by %d ms while a program runs', async (byMs) => {
  const setup = await open(500);
  const clock = new MovedClock(setup.place.dir);
  const worker = await startWorkerProcess(setup.place.settings, clock.nodeOptions);
  const execution = await startSlow(setup, 4);
  await clock.move(byMs);
  const { success, result, metadata } = await execution.result();
  expect({ success, result }).toEqual({ success: true, result: execution.token });
  const { queueTimeMs, executionTimeMs, totalTimeMs } = metadata;
  expect(executionTimeMs).toBeGreaterThan(3_000);
  expect(totalTimeMs).toBeGreaterThanOrEqual(executionTimeMs);
  expect(totalTimeMs).toBeLessThan(HOUR);
  expect(queueTimeMs).toBeGreaterThanOrEqual(0);
  worker.kill('SIGTERM');
  await worker.end();
  await nothingLeft(setup);
});

test('a clock that is set forward between two workers costs a program none of its time', async () => {
  const setup = await open(500);
  const clock = new MovedClock(setup.place.dir);
  const first = await startWorkerProcess(setup.place.settings, clock.nodeOptions);
  const execution = await startSlow(setup, 25, { timeout: JUMP_MS - 5_000 });
  first.kill('SIGKILL');
  await first.end();
  await clock.move(JUMP_MS);
  const second = await startWorkerProcess(setup.place.settings, clock.nodeOptions);
  const { result, metadata } = await execution.result();
  expect(result).toBe(execution.token);
  expect(metadata.executionTimeMs).toBeGreaterThan(24_000);
  expect(metadata.executionTimeMs).toBeLessThan(JUMP_MS);
  second.kill('SIGTERM');
  await second.end();
  await nothingLeft(setup);
});

test('a clock that is set back between two workers gives a program no more time', async () => {
  const setup = await open(500);
  const clock = new MovedClock(setup.place.dir);
  const first = await startWorkerProcess(setup.place.settings, clock.nodeOptions);
  const execution = await startSlow(setup, 250, { timeout: 12_000 });
  first.kill('SIGKILL');
  await first.end();
  await clock.move(-JUMP_MS);
  const second = await startWorkerProcess(setup.place.settings, clock.nodeOptions);
  const { error, metadata } = await execution.result();
  expect(error?.code).toBe('TIMEOUT');
  expect(metadata.executionTimeMs).toBeLessThan(JUMP_MS);
  second.kill('SIGTERM');
  await second.end();
  await nothingLeft(setup);
});
