import { HourglassError, type Tenant } from '../../../src/contract';
import { TenantGate, type EndTurn } from '../../../src/execution/tenant-gate';

const START = 1_000_000;
const ANN: Tenant = { workspaceId: 'shop', userId: 'ann' };
const BOB: Tenant = { workspaceId: 'shop', userId: 'bob' };

beforeEach(() => {
  jest.useFakeTimers({ now: START });
});

afterEach(() => {
  jest.useRealTimers();
});

const later = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

const acquire = (gate: TenantGate, tenant = ANN, signal = new AbortController().signal): Promise<EndTurn> =>
  gate.acquire(tenant, { signal, timeoutMs: 300_000 });

/** Resolves with what it was refused with. */
async function refusal(turn: Promise<EndTurn>): Promise<HourglassError> {
  const error: unknown = await turn.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof HourglassError)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

test('without a limit every tenant runs as much as it likes', async () => {
  const gate = new TenantGate(undefined);
  await Promise.all(Array.from({ length: 50 }, () => acquire(gate)));
  expect(gate.waiting).toBe(0);
});

test('as many as may run do, as many wait here, the next are sent back; other tenants do not notice', async () => {
  const gate = new TenantGate(2);
  const [first] = await Promise.all([acquire(gate), acquire(gate)]);
  const order: string[] = [];
  const waiting = [acquire(gate), acquire(gate)];
  waiting.forEach((turn, number) => void turn.then(() => order.push(`waited ${number}`)));
  expect(gate.waiting).toBe(2);
  expect(await refusal(acquire(gate))).toMatchObject({ code: 'TENANT_LIMIT', isWait: true, details: { max: 2 } });
  await acquire(gate, BOB);
  first?.();
  first?.();
  await later(0);
  expect(order).toEqual(['waited 0']);
  expect(gate.waiting).toBe(1);
});

test('those that are sent back come again one after the other, as turns are expected to end', async () => {
  const gate = new TenantGate(1);
  const end = await acquire(gate);
  const waiting = acquire(gate);
  await later(20_000);
  const delays: number[] = [];
  for (let n = 0; n < 4; n += 1) delays.push((await refusal(acquire(gate))).details.retryAfterMs ?? 0);
  expect(delays).toEqual([20_000, 30_000, 40_000, 50_000]);
  end();
  (await waiting)();
  expect(gate.waiting).toBe(0);
});

test('nobody is told to come again sooner than in a second or later than in ten minutes', async () => {
  const gate = new TenantGate(4, 0);
  await Promise.all([acquire(gate), acquire(gate), acquire(gate), acquire(gate)]);
  expect((await refusal(acquire(gate))).details.retryAfterMs).toBe(1_000);
  await later(3_600_000);
  const delays = await Promise.all(Array.from({ length: 20 }, () => refusal(acquire(gate))));
  for (const { details } of delays) expect(details.retryAfterMs).toBeLessThanOrEqual(600_000);
  expect(new Set(delays.map(({ details }) => details.retryAfterMs)).size).toBeGreaterThan(10);
});

test('whoever waits too long is sent back, and whoever is cancelled leaves', async () => {
  const gate = new TenantGate(2);
  await Promise.all([acquire(gate), acquire(gate)]);
  const abort = new AbortController();
  const cancelled = acquire(gate, ANN, abort.signal);
  const patient = refusal(acquire(gate));
  const reason = new Error('cancelled');
  abort.abort(reason);
  await expect(cancelled).rejects.toBe(reason);
  await later(60_000);
  expect((await patient).code).toBe('TENANT_LIMIT');
  expect(gate.waiting).toBe(0);
});

test('what was taken over counts, be it too much', async () => {
  const gate = new TenantGate(1);
  const ends = [gate.take(ANN), gate.take(ANN)];
  let isIn = false;
  const waiting = acquire(gate).then(() => (isIn = true));
  ends[0]?.();
  await later(0);
  expect(isIn).toBe(false);
  ends[1]?.();
  expect(await waiting).toBe(true);
});

test('its listeners hear of each that waits, and of each that does not any more', async () => {
  const gate = new TenantGate(1);
  const heard: number[] = [];
  gate.onChange(() => heard.push(gate.waiting));
  const end = await acquire(gate);
  const waiting = acquire(gate);
  end();
  await waiting;
  expect(heard).toEqual([1, 0]);
});
