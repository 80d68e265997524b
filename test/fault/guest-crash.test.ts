import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { createHourglassClient } from '../../src/client';
import type { ExecutionResult, HourglassError, Language } from '../../src/contract';
import { inLanes } from '../../src/lanes';
import { eventually } from '../support/eventually';
import { startTemporal, type TestServer } from '../support/temporal';
import { WorkerPlace } from '../support/test-worker';
import { TypeScriptProcess } from '../support/typescript-process';
import { POINTS, type Point } from './points';
import { faultRequest, LANGUAGES_AT_FAULT } from './programs';

const LANES = 3;
const SETUP_MS = 20 * 60_000;
const LANGUAGES = process.env.HOURGLASS_FAULTS === 'all' ? LANGUAGES_AT_FAULT : LANGUAGES_AT_FAULT.slice(0, 1);

/**
 * What comes of an execution whose sandbox is killed: another sandbox runs it, it is lost by name because it may have run, or
 * nothing, because all of it was out.
 */
const EXPECTED: Readonly<Record<Point, 'runs elsewhere' | 'is lost' | 'either' | 'has a result'>> = {
  leased: 'runs elsewhere',
  // The rest, and START, may be on their way before the end of the stream is heard of.
  'half staged': 'either',
  // START is on its way: nobody can say whether the guest got it.
  staged: 'is lost',
  started: 'is lost',
  'output half read': 'is lost',
  ended: 'is lost',
  'files half collected': 'is lost',
  'files collected': 'has a result',
  'files half published': 'has a result',
  published: 'has a result',
  'result stored': 'has a result',
  destroyed: 'has a result',
};

interface Outcome {
  readonly result: ExecutionResult | HourglassError;
  readonly files: readonly string[];
  readonly remains: readonly unknown[];
}

const outcomes = new Map<string, Outcome | Error>();
let server: TestServer;
let connection: Connection;

async function crash(language: (typeof LANGUAGES)[number], point: Point): Promise<Outcome> {
  const place = new WorkerPlace(server.address);
  place.write('in.txt', 'input');
  const hourglass = await createHourglassClient({ connection, taskQueue: place.config.temporal.taskQueue });
  const args = [JSON.stringify(place.settings), point, 'guest'];
  const worker = new TypeScriptProcess(join(__dirname, 'crashing-worker.ts'), args);
  try {
    const handle = await hourglass.start(faultRequest(language));
    const result = await handle.result().catch((error: HourglassError) => error);
    const files = (await place.files()).filter((path) => path !== 'in.txt');
    const contents = files.map((path) => `${path} ${readFileSync(place.file(path), 'utf8')}`);
    const remains = await eventually(
      async () => [...(await place.containers()), ...(await place.leases())],
      (list) => list.length === 0,
    );
    return { result, files: contents, remains };
  } finally {
    worker.kill('SIGKILL');
    await worker.end();
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

test.each(CASES)('%s: a program whose sandbox is killed when it is %s ends as the table says', (...which) => {
  const outcome = outcomes.get(which.join(' '));
  if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error('no outcome');
  const { result } = outcome;
  expect(outcome.remains).toEqual([]);
  const expected = EXPECTED[which[1]];
  if (expected === 'is lost' || (expected === 'either' && result instanceof Error)) {
    expect(result).toMatchObject({ code: 'SANDBOX_LOST', retryable: false, details: { mayHaveRun: true } });
    expect(outcome.files).toEqual([]);
    return;
  }
  expect(result).toMatchObject({ success: true });
  const { stdout, metadata } = result as ExecutionResult;
  const token = stdout.split('\n')[0] ?? '';
  expect(stdout).toBe(`${token}\nend\n`);
  expect(outcome.files).toEqual([`out/a.txt ${token}`, `out/b.txt ${token}`]);
  expect(metadata.attempt).toBe(expected === 'has a result' ? 1 : 2);
});
