import { differences } from '../support/expectation';
import { openTestHost, type TestHost } from '../support/host';
import { ATTACKS } from './attacks';

let host: TestHost;

beforeAll(async () => {
  host = await openTestHost();
});

afterAll(() => host.close());

test.each(ATTACKS.map((attack) => [attack.title, attack] as const))('%s', async (_, attack) => {
  const result = await host.runCase(attack.language, attack);
  expect(differences(result, attack.expect)).toEqual([]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test('R45: after all of it the worker still runs a program', async () => {
  expect((await host.run({ language: 'python', code: '6 * 7' })).result).toBe(42);
});
