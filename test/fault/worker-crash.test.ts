import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { createHourglassClient } from '../../src/client';
import type { ExecutionResult, Language } from '../../src/contract';
import { inLanes } from '../../src/lanes';
import { eventually } from '../support/eventually';
import { startTemporal, type TestServer } from '../support/temporal';
import { TestWorker, WorkerPlace } from '../support/test-worker';
import { TypeScriptProcess } from '../support/typescript-process';
import { POINTS, type Point } from './points';
import { faultRequest, LANGUAGES_AT_FAULT } from './programs';

/** Crashes at the same time: each waits long for a heartbeat that does not come. */
const LANES = 4;
const SETUP_MS = 20 * 60_000;
/** In each language: `npm run test:fault`; elsewhere in one. */
const LANGUAGES = process.env.HOURGLASS_FAULTS === 'all' ? LANGUAGES_AT_FAULT : LANGUAGES_AT_FAULT.slice(0, 1);

interface Outcome {
  readonly signal: string | null;
  /** Sandboxes that the killed worker left. */
  readonly left: readonly string[];
  readonly result: ExecutionResult;
  readonly files: readonly string[];
  /** What remained of it all at the end. */
  readonly remains: readonly unknown[];
}

const outcomes = new Map<string, Outcome | Error>();
let server: TestServer;
let connection: Connection;

/** Kills the worker at the point and lets another one of the same host finish. */
async function crash(language: (typeof LANGUAGES)[number], point: Point): Promise<Outcome> {
  const place = new WorkerPlace(server.address);
  place.write('in.txt', 'input');
  const hourglass = await createHourglassClient({ connection, taskQueue: place.config.temporal.taskQueue });
  const first = new TypeScriptProcess(join(__dirname, 'crashing-worker.ts'), [
    JSON.stringify(place.settings),
    point,
    'worker',
  ]);
  const handle = await hourglass.start(faultRequest(language));
  const { signal } = await first.end();
  const left = await place.containers();
  const second = await TestWorker.start(place.config);
  try {
    const result = await handle.result();
    const files = (await place.files()).filter((path) => path !== 'in.txt');
    const contents = files.map((path) => `${path} ${readFileSync(place.file(path), 'utf8')}`);
    await second.stop();
    const remains = await eventually(
      async () => [...(await place.containers()), ...(await place.leases())],
      (list) => list.length === 0,
    );
    return { signal, left, result, files: contents, remains };
  } finally {
    await second.stop();
    place.remove();
  }
}

const CASES = LANGUAGES.flatMap((language) => POINTS.map((point): [Language, Point] => [language, point]));

beforeAll(async () => {
  server = await startTemporal();
  connection = await Connection.connect({ address: server.address });
  await inLanes(CASES, LANES, async ([language, point]) => {
    const outcome = await crash(language as (typeof LANGUAGES)[number], point).catch((error: Error) => error);
    outcomes.set(`${language} ${point}`, outcome);
  });
}, SETUP_MS);

afterAll(async () => {
  await connection.close();
  await server.stop();
});

/** Before its start a program may start elsewhere; from then on there is one run of it, and one sandbox. */
const STARTED = new Set<Point>(POINTS.slice(POINTS.indexOf('started')));

test.each(CASES)(
  '%s: a worker that is killed when a program is %s loses nothing and runs nothing twice',
  (...which) => {
    const outcome = outcomes.get(which.join(' '));
    if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error('no outcome');
    const { result, left } = outcome;
    const token = result.stdout.split('\n')[0] ?? '';
    expect(outcome.signal).toBe('SIGKILL');
    expect(token).toMatch(/^[0-9a-f]{16}$/);
    expect(result).toMatchObject({ success: true, result: `${token}input`, stdout: `${token}\nend\n` });
    expect(outcome.files).toEqual([`out/a.txt ${token}`, `out/b.txt ${token}`]);
    expect(result.savedFiles.map(({ workspacePath }) => workspacePath)).toEqual(['out/a.txt', 'out/b.txt']);
    expect(outcome.remains).toEqual([]);
    if (which[1] === 'destroyed') expect(left).toEqual([]);
    else expect(left).toHaveLength(1);
    if (STARTED.has(which[1]) && left.length > 0) expect(left).toEqual([result.metadata.sandboxId]);
    else if (left.length > 0) expect(left).not.toEqual([result.metadata.sandboxId]);
  },
);
