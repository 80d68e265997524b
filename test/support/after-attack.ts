import type { ExecutionRequest, ExecutionResult } from '../../src/contract';
import { eventually } from './eventually';
import { patience } from './patience';
import { changedPrototypes, readPrototypes } from './prototypes';

/** What R45 gives the worker to answer. */
const SERVICE_MS = 5_000;
/** When the check gives up: a run that never comes back fails by name and not by the limit of a hook. */
const GIVE_UP_MS = 60_000;

const TRIVIAL: ExecutionRequest = { language: 'shell', code: 'echo served', timeout: SERVICE_MS };

/** What a file of attacks attacks. */
export interface Attacked {
  run(request: ExecutionRequest, signal: AbortSignal): Promise<ExecutionResult>;
  /** Containers that are there because of a program, each however it is shown best. */
  left(): Promise<readonly unknown[]>;
}

/**
 * After each attack of the file: the next program is served, no container is left, and the prototypes that all objects
 * share are as they were when the file began.
 */
export function afterEachAttack(attacked: Attacked): void {
  const before = readPrototypes();
  afterEach(async () => {
    await expectService(attacked);
    await eventually(
      () => attacked.left(),
      (listed) => listed.length === 0,
    );
    expect(changedPrototypes(before)).toEqual([]);
  });
}

/**
 * R45 by the worker's own clocks. The time that the engine needs for a fresh container is not in them: on a busy machine
 * it says nothing about the attack.
 */
async function expectService(attacked: Attacked): Promise<void> {
  const { error, stdout, metadata } = await attacked.run(TRIVIAL, AbortSignal.timeout(patience(GIVE_UP_MS)));
  expect({ error, stdout }).toEqual({ error: undefined, stdout: 'served\n' });
  expect(metadata.queueTimeMs + metadata.executionTimeMs).toBeLessThan(patience(SERVICE_MS));
}
