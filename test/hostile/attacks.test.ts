import { differences } from '../support/expectation';
import { hostileHost } from '../support/hostile-host';
import { changedPrototypes, readPrototypes } from '../support/prototypes';
import { ATTACKS } from './attacks';

const before = readPrototypes();
// With warm sandboxes, as workers have them: some attacks get one that waited, some one of their own.
const host = hostileHost({ HOURGLASS_WARM_PER_KEY: '1' });

test.each(ATTACKS.map((attack) => [attack.title, attack] as const))('%s', async (_, attack) => {
  const result = await host().runCase(attack.language, attack);
  expect(differences(result, attack.expect)).toEqual([]);
  expect(changedPrototypes(before)).toEqual([]);
});

test('R45: after all of it the worker still runs a program', async () => {
  expect((await host().run({ language: 'python', code: '6 * 7' })).result).toBe(42);
});
