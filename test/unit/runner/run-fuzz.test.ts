import { HourglassError } from '../../../src/contract';
import { TO_HOST, type ToHost } from '../../../src/runner/protocol';
import { startFuzz } from '../../support/random';
import { GOOD_END, guestFrame, startedRun } from './scripted-guest';

const ROUNDS = 300;
const TYPES = Object.keys(TO_HOST) as ToHost[];
const REFUSALS = ['PROTOCOL_ERROR', 'SANDBOX_LOST', 'INPUT_FILE_ERROR'];
/** Everything that an outcome may hold of a program whose streams are kept up to 1 KiB each. */
const OUTCOME_BYTES = 64 * 1024;

const RESULTS = ['1', '[', '"\\ud800"', '{"__proto__":{"x":1}}'];

const { seed, random, pick } = startFuzz('guest');

const noise = (): Buffer => Buffer.from(Array.from({ length: random(200) }, () => random(256)));

/** Payloads that a guest sends, with parts that it would not. */
function payload(type: ToHost): Buffer | string | object {
  const odd = pick<unknown>([-1, 0.5, 1e300, null, 'x', [], { __proto__: 1 }, '\u001b[2J', 2 ** 53, Number.NaN]);
  if (random(5) === 0) return noise();
  const shapes: Partial<Record<ToHost, () => Buffer | string | object>> = {
    END: () => ({ ...GOOD_END, ...(random(2) === 0 ? { [pick(Object.keys(GOOD_END))]: odd } : {}) }),
    REPORT: () =>
      `{"v":1,"hasResult":${pick(['true', '1'])},"source":"variable","error":null,"warnings":[]}\n${pick(RESULTS)}`,
    STAGE_ERROR: () => ({
      path: pick(['a', '/etc/passwd', '\u001b']),
      code: pick(['ENOSPC', 'x'.repeat(100)]),
      message: 'm',
    }),
    FATAL: () => ({ message: pick<unknown>(['gone', '\u0007', odd]) }),
  };
  return shapes[type]?.() ?? pick([noise(), 'text', Buffer.alloc(random(3_000), 'x')]);
}

function frame(): Buffer {
  const type = pick([...TYPES, 'OUTPUT', 'OUTPUT', 'END'] as const);
  const header = random(20) === 0 ? { length: pick([0, 1, 2 ** 20 + 1, 2 ** 32 - 1]) } : {};
  return guestFrame(random(30) === 0 ? random(256) : type, payload(type), pick([0, 1, 2, 3, 2 ** 32 - 1]), header);
}

test('R18: whatever a guest says, its run ends with a bounded outcome or with a refusal that has a code', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { guest, outcome, calls } = await startedRun();
    const settled = outcome.then(
      (value) => ({ size: JSON.stringify(value).length, code: undefined }),
      (error: unknown) => ({ size: 0, code: error instanceof HourglassError ? error.code : String(error) }),
    );
    for (let count = 1 + random(8); count > 0; count -= 1) if (guest.output.writable) guest.output.write(frame());
    guest.die();
    const { size, code } = await settled;
    expect({ seed, round, code, known: code === undefined || REFUSALS.includes(code) }).toMatchObject({ known: true });
    expect({ seed, round, size, isBounded: size < OUTCOME_BYTES }).toMatchObject({ isBounded: true });
    expect({ seed, round, kills: calls.kill > 1 }).toMatchObject({ kills: false });
  }
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
});
