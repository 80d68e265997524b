import { join } from 'node:path';
import { askAll } from '../../src/cli/hosts/ask';
import { freePort } from '../../src/cli/temporal/ports';
import type { DrainOrder, HostReport } from '../../src/contract';
import type { HealthReport } from '../../src/health/health';
import { loadHostId } from '../../src/leases/host-id';
import { DurableSetup } from '../support/durable';
import { eventually } from '../support/eventually';
import { TestWorker, WorkerPlace } from '../support/test-worker';

let setup: DurableSetup;
/** The host that is drained, and one that is not. */
let drained: TestWorker;
let other: TestWorker | undefined;
let otherPlace: WorkerPlace;
let hostId: string;
let health: string;

beforeAll(async () => {
  health = `127.0.0.1:${await freePort()}`;
  setup = await DurableSetup.open({ HOURGLASS_SHUTDOWN_GRACE_MS: '500' });
  otherPlace = new WorkerPlace(setup.server.address, {
    ...setup.place.settings,
    HOURGLASS_STATE_DIR: join(setup.place.dir, 'other'),
  });
  drained = await startDrained();
  hostId = await loadHostId(setup.place.config.stateDir);
});

afterAll(async () => {
  await drained?.stop();
  await other?.stop();
  otherPlace?.remove();
  await setup?.close();
});

function startDrained(): Promise<TestWorker> {
  const { config } = setup.place;
  return TestWorker.start({ ...config, observe: { ...config.observe, healthAddress: health } });
}

async function ask(order?: DrainOrder): Promise<HostReport> {
  const { taskQueue, namespace } = setup.place.config.temporal;
  const [answer] = await askAll({ connection: setup.connection, namespace, taskQueue }, [hostId], order);
  if (answer?.report === undefined) throw new Error(`no report: ${JSON.stringify(answer)}`);
  return answer.report;
}

const drain = (noticeMs: number): Promise<HostReport> => ask({ v: 1, drains: true, noticeMs });

async function readiness(): Promise<{ status: number; reasons: (string | undefined)[] }> {
  const answer = await fetch(`http://${health}/readyz`);
  const { checks } = (await answer.json()) as HealthReport;
  return { status: answer.status, reasons: checks.filter(({ ok }) => !ok).map(({ reason }) => reason) };
}

test('a host that is drained lets what runs end, closes its sessions with notice, and begins nothing', async () => {
  const session = setup.hourglass.session({ sessionId: 'noticed', language: 'python' });
  await session.run('x = 20');
  const first = await setup.hourglass.start({
    language: 'python',
    code: 'import time\nprint("up", flush=True)\ntime.sleep(8)\nresult = "ended"',
    timeout: 120_000,
  });
  await setup.heartbeat(first.workflowId, ({ tail }) => tail === 'up\n');
  expect(await ask()).toMatchObject({
    hostId,
    workers: 1,
    slots: { total: 10, used: 1 },
    sessions: { open: 1, most: 10 },
  });
  expect((await ask()).draining).toBeUndefined();

  const { draining } = await drain(600_000);
  await eventually(
    () => session.status(),
    ({ drainsAt }) => drainsAt !== undefined,
  );
  expect(await readiness()).toEqual({ status: 503, reasons: ['DRAINING'] });
  expect((await session.run('x += 1\nresult = x')).result).toBe(21);

  const last = session.run({
    code: 'import time\nprint("in", flush=True)\ntime.sleep(4)\nresult = x',
    timeout: 60_000,
  });
  await setup.heartbeat(session.workflowId, ({ tail }) => tail === 'in\n');
  expect((await drain(0)).draining?.since).toBe(draining?.since);
  await expect(
    eventually(
      () => session.run('result = "more"'),
      () => false,
    ),
  ).rejects.toMatchObject({
    code: 'SESSION_CLOSED',
    message: expect.stringContaining('its host is drained') as string,
  });
  expect((await last).result).toBe(21);
  expect((await first.result()).result).toBe('ended');
  await eventually(ask, ({ slots, sessions }) => slots.used === 0 && sessions.open === 0);
  await eventually(
    () => setup.place.leases(),
    (leases) => leases.length === 0,
  );
});

test('it stays drained when its worker is restarted, and other hosts take what comes', async () => {
  const begun = drained.logged('Creating sandbox container').length;
  await drained.stop();
  expect(drained.logged('Creating sandbox container')).toHaveLength(begun);
  drained = await startDrained();
  expect((await eventually(readiness, ({ reasons }) => reasons.includes('DRAINING'))).status).toBe(503);
  const waiting = await setup.hourglass.start({ language: 'shell', code: 'echo waited' });
  await eventually(() => setup.pending(waiting.workflowId), Boolean);
  expect((await ask()).slots.used).toBe(0);

  other = await TestWorker.start(otherPlace.config);
  const session = setup.hourglass.session({ sessionId: 'elsewhere', language: 'shell' });
  const more = Array.from({ length: 8 }, () => setup.hourglass.run({ language: 'shell', code: ':' }));
  const results = await Promise.all([waiting.result(), session.run('true'), ...more]);
  const there = await loadHostId(otherPlace.config.stateDir);
  expect(new Set(results.map(({ metadata }) => metadata.hostId))).toEqual(new Set([there]));
  expect(drained.logged('Creating sandbox container')).toEqual([]);
  await session.close();
});

test('it takes new work again when it is told to, and its sessions stay where notice is taken back', async () => {
  await other?.stop();
  other = undefined;
  const waiting = await setup.hourglass.start({ language: 'shell', code: 'echo waited' });
  await eventually(() => setup.pending(waiting.workflowId), Boolean);
  expect((await ask({ v: 1, drains: false })).draining).toBeUndefined();
  expect((await waiting.result()).metadata.hostId).toBe(hostId);
  expect((await eventually(readiness, ({ status }) => status === 200)).reasons).toEqual([]);

  const session = setup.hourglass.session({ sessionId: 'kept', language: 'python' });
  await session.run('x = 1');
  await drain(600_000);
  await eventually(
    () => session.status(),
    ({ drainsAt }) => drainsAt !== undefined,
  );
  await ask({ v: 1, drains: false });
  await eventually(
    () => session.status(),
    ({ drainsAt }) => drainsAt === undefined,
  );
  expect((await session.run('result = x')).result).toBe(1);
  await session.close();
});
