import { join } from 'node:path';
import type { ExecutionHandle } from '../../src/client';
import type { HourglassError } from '../../src/contract';
import { loadHostId } from '../../src/leases/host-id';
import { DurableSetup } from '../support/durable';
import { eventually } from '../support/eventually';
import { OwnEngine } from '../support/own-engine';
import type { TestWorker } from '../support/test-worker';
import type { TypeScriptProcess } from '../support/typescript-process';
import { startWorkerProcess } from '../support/worker-child';

/** Slots of the host with the machine's engine, and of the one with an engine of its own. */
const SLOTS = { here: 2, there: 4 };
const SECONDS = 12;
const SETUP_MS = 300_000;

let setup: DurableSetup;
let engine: OwnEngine;
let here: TestWorker;
let there: TypeScriptProcess;
let hosts: { here: string; there: string };

beforeAll(async () => {
  engine = await OwnEngine.open(false);
  setup = await DurableSetup.open({
    MAX_CONCURRENT_EXECUTIONS: String(SLOTS.here),
    HOURGLASS_SHUTDOWN_GRACE_MS: '500',
  });
  const otherState = join(setup.place.dir, 'other-state');
  there = await startWorkerProcess({
    ...setup.place.settings,
    MAX_CONCURRENT_EXECUTIONS: String(SLOTS.there),
    HOURGLASS_STATE_DIR: otherState,
    DOCKER_HOST: engine.dockerHost,
  });
  here = await setup.worker();
  hosts = { here: await loadHostId(setup.place.config.stateDir), there: await loadHostId(otherState) };
}, SETUP_MS);

afterAll(async () => {
  await here?.stop();
  there?.kill('SIGKILL');
  await there?.end();
  await setup?.close();
  await engine?.close();
});

interface Started {
  readonly handle: ExecutionHandle;
  readonly idempotent: boolean;
}

async function start(number: number, seconds: number): Promise<Started> {
  const idempotent = number % 2 === 0;
  const code = `import time\ntime.sleep(${seconds})\nresult = ${number}`;
  const request = { language: 'python', code, idempotent, hostLostAfter: 2_000, timeout: 120_000 } as const;
  return { handle: await setup.hourglass.start(request), idempotent };
}

/** Where each of them runs; undefined for what waits. */
function places(all: readonly Started[]): Promise<(string | undefined)[]> {
  return Promise.all(
    all.map(async ({ handle }) => {
      const heartbeat = (await setup.pending(handle.workflowId))?.heartbeat;
      return heartbeat?.phase === 'running' ? heartbeat.hostId : undefined;
    }),
  );
}

const count = <T>(all: readonly T[], wanted: T): number => all.filter((item) => item === wanted).length;

test('two hosts with an engine each share a queue by their room, and what the loss of one takes is run again or named', async () => {
  const room = SLOTS.here + SLOTS.there;
  const begun = await Promise.all(Array.from({ length: room }, (_, number) => start(number, SECONDS)));
  const placed = await eventually(
    () => places(begun),
    (found) => !found.includes(undefined),
  );
  expect([count(placed, hosts.here), count(placed, hosts.there)]).toEqual([SLOTS.here, SLOTS.there]);
  expect(await setup.place.containers()).toHaveLength(SLOTS.here);
  const queued = await Promise.all(Array.from({ length: 4 }, (_, number) => start(room + number, 0)));

  there.kill('SIGKILL');
  await Promise.all([there.end(), engine.stop('SIGKILL')]);
  const ends = await Promise.allSettled([...begun, ...queued].map(({ handle }) => handle.result()));
  // What the containers of a lost engine do is nobody's concern any more; they are removed by it at the end.
  await engine.start();

  const outcomes = ends.map((end) => {
    if (end.status === 'fulfilled') return { result: end.value.result, hostId: end.value.metadata.hostId };
    const error = end.reason as HourglassError;
    return { code: error.code, hostId: error.details.hostId };
  });
  const expected = [...begun, ...queued].map(({ idempotent }, number) =>
    placed[number] === hosts.there && !idempotent
      ? { code: 'OUTCOME_UNKNOWN', hostId: hosts.there }
      : { result: number, hostId: hosts.here },
  );
  expect(outcomes).toEqual(expected);
});
