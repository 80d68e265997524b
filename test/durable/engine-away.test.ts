import { setTimeout as delay } from 'node:timers/promises';
import { DurableSetup } from '../support/durable';
import { EngineProxy } from '../support/engine-proxy';
import { eventually } from '../support/eventually';
import { TestWorker } from '../support/test-worker';

let setup: DurableSetup;
let engine: EngineProxy;
let worker: TestWorker;

beforeAll(async () => {
  setup = await DurableSetup.open();
  engine = new EngineProxy(setup.place.dir);
  await engine.start();
  worker = await TestWorker.start({
    ...setup.place.config,
    engine: { ...setup.place.config.engine, dockerHost: engine.dockerHost },
  });
});

afterAll(async () => {
  await worker.stop();
  await engine.stop();
  await setup.close();
});

const code = (seconds: number): string =>
  `import secrets, time\nresult = secrets.token_hex(8)\nprint(result, flush=True)\ntime.sleep(${seconds})\nprint("end")`;

test.each([
  ['runs on', 12, 3_000],
  ['has ended meanwhile', 2, 6_000],
])('an engine that goes away and comes back costs no program: one that %s', async (_, seconds, awayMs) => {
  const handle = await setup.hourglass.start({ language: 'python', code: code(seconds) });
  const { tail, sandboxId } = await setup.heartbeat(handle.workflowId, (beat) => Boolean(beat.tail));
  await engine.stop();
  await delay(awayMs);
  await engine.start();
  const result = await handle.result();
  const token = (tail ?? '').trim();
  expect(result).toMatchObject({ result: token, stdout: `${token}\nend\n`, metadata: { sandboxId, attempt: 2 } });
  await eventually(
    () => setup.place.containers(),
    (names) => names.length === 0,
  );
});
