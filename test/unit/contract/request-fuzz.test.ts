import { HourglassError } from '../../../src/contract';
import { parseRequest } from '../../../src/execution/parse-request';
import { changedPrototypes, readPrototypes } from '../../support/prototypes';
import { startFuzz } from '../../support/random';

const ROUNDS = 3_000;
const FAILURE_BYTES = 20_000;
const { seed, random, pick } = startFuzz('request');

type Json = Record<string, unknown>;

const GOOD: Json = {
  language: 'python',
  code: 'result = 1',
  inputData: { a: [1, { b: null }], 'c d': 'x' },
  inputFiles: [{ path: 'in/a.csv', sandboxPath: 'a.csv', variableName: 'a_csv' }, { path: 'b' }],
  outputFiles: [{ sandboxPath: 'out/**/*.csv', workspacePath: 'reports/' }],
  stdin: 'text',
  timeout: 5_000,
  resourceLimits: { memoryMb: 64, diskMb: 32, cpuCores: 0.5, maxPids: 10, maxOutputBytes: 2_048 },
  workspaceId: 'acme',
  userId: 'user@example.org',
  executionId: 'run-1',
  label: 'a label',
  idempotent: true,
};

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = random(2) === 0 ? [value] : { x: value };
  return value;
}

function cycle(): unknown {
  const value: Json = {};
  value['self'] = { value };
  return value;
}

const HOSTILE: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => Number.NaN,
  () => -0,
  () => 2 ** 64,
  () => 10n,
  () => Symbol('s'),
  () => () => 1,
  () => '',
  () => 'x'.repeat(random(3_000)),
  () => '\u0000\u001b[2J\ud800\u202e',
  () => '../../etc/passwd',
  () => '/etc/passwd',
  () => '**/'.repeat(200),
  () => '{'.repeat(500),
  () => '__proto__',
  () => JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as unknown,
  () => Object.create({ language: 'python', code: '1' }) as unknown,
  () => new Map([['language', 'python']]),
  () => new Date(Number.NaN),
  () => Buffer.from('bytes'),
  () => deep(random(2_000)),
  () => cycle(),
  () => Array.from({ length: random(300) }, () => ({ path: 'a' })),
  () => ({ toString: () => 'python', valueOf: () => 1 }),
  () => ({ toJSON: () => ({ language: 'shell' }) }),
];

/** One value somewhere in the request becomes another, goes, or comes. */
function mutate(request: Json): void {
  let place: Json = request;
  for (let depth = random(3); depth > 0; depth -= 1) {
    const inner = place[pick(Object.keys(place))];
    // Bytes hold numbers only: nothing hostile can be put among them.
    if (typeof inner !== 'object' || inner === null || ArrayBuffer.isView(inner) || Object.keys(inner).length === 0)
      break;
    place = inner as Json;
  }
  const key =
    random(4) === 0 ? pick(['extra', 'constructor', 'toString', 'a\u0000', 'x'.repeat(200)]) : pick(Object.keys(place));
  if (random(8) === 0) delete place[key];
  else place[key] = pick(HOSTILE)();
}

/** The failure of a request, or undefined where it is good. */
function failureOf(input: unknown): unknown {
  try {
    parseRequest(input);
    return undefined;
  } catch (error) {
    return error;
  }
}

test('R01, R18: any request is accepted, then it is bounded and means the same again, or refused as VALIDATION_ERROR', () => {
  const before = readPrototypes();
  const seen = { accepted: 0, refused: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const input = structuredClone(GOOD);
    for (let count = random(3); count > 0; count -= 1) mutate(input);
    const failure = failureOf(input);
    if (failure === undefined) {
      seen.accepted += 1;
      const valid = JSON.parse(JSON.stringify(parseRequest(input))) as unknown;
      expect({ seed, round, again: parseRequest(valid) }).toEqual({
        seed,
        round,
        again: valid,
      });
      expect(JSON.stringify(valid).length).toBeLessThan(2_000_000);
    } else {
      seen.refused += 1;
      const told = failure instanceof HourglassError ? failure : undefined;
      expect({ seed, round, code: told?.code ?? failure }).toEqual({ seed, round, code: 'VALIDATION_ERROR' });
      expect(JSON.stringify([told?.message, told?.details]).length).toBeLessThan(FAILURE_BYTES);
    }
  }
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(ROUNDS / 10);
  expect(changedPrototypes(before)).toEqual([]);
});
