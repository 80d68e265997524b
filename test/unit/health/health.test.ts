import type { State } from '@temporalio/worker';
import { Health } from '../../../src/health/health';
import { ConfigError } from '../../../src/config';
import { openHealthServer, serveHealth, type HealthServer } from '../../../src/health/server';
import { freePort } from '../../../src/cli/temporal/ports';
import { SILENT } from '../../../src/telemetry/log';

let health: Health;
let server: HealthServer;
let url: string;

beforeEach(async () => {
  health = new Health();
  const address = `127.0.0.1:${await freePort()}`;
  server = await serveHealth(address, health, SILENT);
  url = `http://${address}`;
});

afterEach(() => server.close());

async function probe(path: string, init?: RequestInit): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(url + path, init);
  return { status: answer.status, body: await answer.json() };
}

test('a process without a worker yet is alive and not ready', async () => {
  expect(await probe('/healthz')).toEqual({ status: 200, body: { status: 'ok', checks: [] } });
  expect(await probe('/readyz')).toEqual({
    status: 503,
    body: { status: 'failing', checks: [{ name: 'worker', ok: false, reason: 'STARTING' }] },
  });
});

test.each<[State, number, number]>([
  ['INITIALIZED', 200, 503],
  ['RUNNING', 200, 200],
  ['STOPPING', 200, 503],
  ['DRAINING', 200, 503],
  ['DRAINED', 200, 503],
  ['STOPPED', 200, 503],
  ['FAILED', 503, 503],
])('a worker that is %s answers /healthz with %d and /readyz with %d', async (state, live, ready) => {
  health.addWorker('queue', () => state);
  expect((await probe('/healthz')).status).toBe(live);
  const { status, body } = await probe('/readyz');
  expect(status).toBe(ready);
  const check = ready === 200 ? { name: 'worker:queue', ok: true } : { name: 'worker:queue', ok: false, reason: state };
  expect(body).toMatchObject({ checks: [check] });
});

test('one worker of several that does not run is enough not to be ready, and is named', async () => {
  health.addWorker('shared', () => 'RUNNING');
  health.addWorker('own', () => 'DRAINING');
  expect(await probe('/readyz')).toMatchObject({
    status: 503,
    body: { checks: [{ ok: true }, { name: 'worker:own', ok: false, reason: 'DRAINING' }] },
  });
});

test('a part that refuses is named with its reason, and the process stays alive', async () => {
  health.addWorker('queue', () => 'RUNNING');
  health.addPing('engine', () => Promise.reject(new Error('connect ENOENT')));
  expect(await probe('/readyz')).toMatchObject({
    status: 503,
    body: { checks: [{ ok: true }, { name: 'engine', ok: false, reason: 'UNREACHABLE', message: 'connect ENOENT' }] },
  });
  expect((await probe('/healthz')).status).toBe(200);
});

test('a part that says nothing does not hold the probe', async () => {
  health.addPing('engine', () => new Promise(() => undefined));
  expect(await probe('/readyz')).toMatchObject({
    status: 503,
    body: { checks: [{}, { name: 'engine', ok: false, reason: 'NO_ANSWER' }] },
  });
});

test('many probes at the same time ask a part once', async () => {
  let asked = 0;
  health.addWorker('queue', () => 'RUNNING');
  health.addPing('engine', async () => void (asked += 1));
  const answers = await Promise.all(Array.from({ length: 40 }, () => probe('/readyz')));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200));
  expect(asked).toBe(1);
});

test('other paths and methods are refused as what they are', async () => {
  expect((await probe('/')).status).toBe(404);
  expect((await probe('/__proto__')).status).toBe(404);
  expect((await probe('/healthz', { method: 'POST' })).status).toBe(405);
  expect((await probe('/healthz?verbose=1')).status).toBe(200);
});

test.each([
  ['taken', () => url.slice('http://'.length), 'something listens there already'],
  ['not of this machine', () => '203.0.113.9:9465', 'it is not an address of this machine'],
])('an address that is %s is an error of the configuration that says so', async (_, address, reason) => {
  const opened = openHealthServer(address(), health, SILENT);
  await expect(opened).rejects.toThrow(ConfigError);
  await expect(opened).rejects.toThrow(`HOURGLASS_HEALTH_ADDRESS="${address()}": cannot be listened at: ${reason}`);
});
