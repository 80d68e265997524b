import { readFileSync } from 'node:fs';
import { Connection } from '@temporalio/client';
import { createHourglassClient, type HourglassClient } from '../../src/client';
import { inLanes } from '../../src/lanes';
import { eventually } from '../support/eventually';
import { startTemporal } from '../support/temporal';
import { WorkerPlace } from '../support/test-worker';
import { POINTS, type Point } from './points';
import { LANGUAGES_AT_FAULT } from './programs';

const SETUP_MS = 20 * 60_000;
/** In each language: `npm run test:fault`; elsewhere in one. */
const LANGUAGES = process.env.HOURGLASS_FAULTS === 'all' ? LANGUAGES_AT_FAULT : LANGUAGES_AT_FAULT.slice(0, 1);

export type LanguageAtFault = (typeof LANGUAGES_AT_FAULT)[number];
type Case = [LanguageAtFault, Point];

export const CASES = LANGUAGES.flatMap((language) => POINTS.map((point): Case => [language, point]));

/** Where one fault happens: a worker's place with an input file, and a client of its task queue. */
export interface Scene {
  readonly place: WorkerPlace;
  readonly hourglass: HourglassClient;
  /** Output files with their contents. */
  readonly files: () => Promise<string[]>;
  /** Containers and records of executions that are still there; waits a while for none. */
  readonly remains: () => Promise<unknown[]>;
}

/**
 * Lets a fault happen in each case before the tests of a file; the result gives a case its outcome.
 *
 * @param lanes Cases at the same time: most of them wait for a heartbeat that does not come.
 */
export function beforehand<T>(
  lanes: number,
  happen: (scene: Scene, ...which: Case) => Promise<T>,
): (...which: Case) => T {
  const outcomes = new Map<string, T>();
  const failures = new Map<string, unknown>();
  let end: () => Promise<void>;
  beforeAll(async () => {
    const server = await startTemporal();
    const connection = await Connection.connect({ address: server.address });
    end = async () => {
      await connection.close();
      await server.stop();
    };
    await inLanes(CASES, lanes, async (which) => {
      const place = new WorkerPlace(server.address);
      const name = which.join(' ');
      try {
        outcomes.set(name, await atScene(place, connection, (scene) => happen(scene, ...which)));
      } catch (error) {
        failures.set(name, error);
      }
      place.remove();
    });
  }, SETUP_MS);
  afterAll(() => end());
  return (...which) => {
    const outcome = outcomes.get(which.join(' '));
    if (outcome === undefined) throw new Error('the case failed', { cause: failures.get(which.join(' ')) });
    return outcome;
  };
}

async function atScene<T>(
  place: WorkerPlace,
  connection: Connection,
  happen: (scene: Scene) => Promise<T>,
): Promise<T> {
  place.write('in.txt', 'input');
  const hourglass = await createHourglassClient({ connection, taskQueue: place.config.temporal.taskQueue });
  return happen({
    place,
    hourglass,
    files: async () => {
      const files = (await place.files()).filter((path) => path !== 'in.txt');
      return files.map((path) => `${path} ${readFileSync(place.file(path), 'utf8')}`);
    },
    remains: () =>
      eventually(
        async () => [...(await place.containers()), ...(await place.leases())],
        (list) => list.length === 0,
      ),
  });
}
