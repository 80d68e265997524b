import { freePort } from '../../src/cli/temporal/ports';
import type { HealthReport } from '../../src/health/health';
import { DurableSetup, sleeper } from '../support/durable';
import { EngineProxy } from '../support/engine-proxy';
import { eventually } from '../support/eventually';
import { TestWorker, WorkerPlace } from '../support/test-worker';

let setup: DurableSetup;
let engine: EngineProxy;
let place: WorkerPlace;
let worker: TestWorker;
let url: string;

beforeAll(async () => {
  setup = await DurableSetup.open();
  engine = new EngineProxy(setup.place.dir);
  await engine.start();
  const address = `127.0.0.1:${await freePort()}`;
  url = `http://${address}`;
  place = new WorkerPlace(setup.server.address, {
    ...setup.place.settings,
    DOCKER_HOST: engine.dockerHost,
    HOURGLASS_HEALTH_ADDRESS: address,
    HOURGLASS_SHUTDOWN_GRACE_MS: '2000',
  });
  worker = await TestWorker.start(place.config);
});

afterAll(async () => {
  await worker.stop();
  await engine.stop();
  place.remove();
  await setup.close();
});

async function probe(path: '/healthz' | '/readyz'): Promise<{ status: number; report: HealthReport }> {
  const answer = await fetch(url + path);
  return { status: answer.status, report: (await answer.json()) as HealthReport };
}

const reasons = ({ checks }: HealthReport): string[] =>
  checks.map(({ name, reason }) => `${name.replace(/:.*/, '')} ${reason ?? 'ok'}`);

const readiness = (isThere: (status: number) => boolean): ReturnType<typeof probe> =>
  eventually(
    () => probe('/readyz'),
    ({ status }) => isThere(status),
  );

test('a worker that polls is alive and ready, and names what it looked at', async () => {
  // The common task queue, the one of the host, and that of its sessions.
  const { report } = await readiness((status) => status === 200);
  expect(reasons(report)).toEqual(['worker ok', 'worker ok', 'worker ok', 'engine ok', 'temporal ok']);
  expect(await probe('/healthz')).toMatchObject({ status: 200, report: { status: 'ok' } });
});

test('a worker whose engine is gone is not ready but alive, and ready again when the engine is back', async () => {
  await engine.stop();
  const { report } = await readiness((status) => status === 503);
  expect(reasons(report)).toEqual(['worker ok', 'worker ok', 'worker ok', 'engine UNREACHABLE', 'temporal ok']);
  expect((await probe('/healthz')).status).toBe(200);
  await engine.start();
  expect(reasons((await readiness((status) => status === 200)).report)).toContain('engine ok');
});

test('a worker that drains is not ready from the first moment, and answers until it has stopped', async () => {
  const handle = await setup.hourglass.start({ language: 'python', code: sleeper('up'), timeout: 240_000 });
  await setup.heartbeat(handle.workflowId, ({ tail }) => tail === 'up\n');
  const stopped = worker.stop();
  const { status, report } = await probe('/readyz');
  expect(status).toBe(503);
  expect(reasons(report)[0]).toMatch(/^worker (STOPPING|DRAINING)$/);
  expect((await probe('/healthz')).status).toBe(200);
  await stopped;
  await expect(probe('/healthz')).rejects.toThrow('fetch failed');
  await setup.client.workflow.getHandle(handle.workflowId).terminate();
});
