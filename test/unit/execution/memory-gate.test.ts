import { MemoryGate, memoryNeed } from '../../../src/execution/memory-gate';

const patient = (): { signal: AbortSignal; timeoutMs: number } => ({
  signal: new AbortController().signal,
  timeoutMs: 60_000,
});

/** Lets every promise that can settle do so. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('memory within the budget is there at once', async () => {
  const gate = new MemoryGate(1_000);
  await gate.acquire(400, patient());
  await gate.acquire(600, patient());
  expect(gate.usedMb).toBe(1_000);
});

test('what does not fit waits until enough is given back', async () => {
  const gate = new MemoryGate(1_000);
  const release = await gate.acquire(800, patient());
  const second = gate.acquire(300, patient());
  await settled();
  expect(gate.waiting).toBe(1);
  release();
  await second;
  expect(gate.usedMb).toBe(300);
});

test('R13: a large request is not overtaken by small ones', async () => {
  const gate = new MemoryGate(1_000);
  const release = await gate.acquire(500, patient());
  const order: string[] = [];
  const large = gate.acquire(1_000, patient()).then((give) => {
    order.push('large');
    give();
  });
  const small = gate.acquire(100, patient()).then(() => void order.push('small'));
  await settled();
  expect(order).toEqual([]);
  release();
  await Promise.all([large, small]);
  expect(order).toEqual(['large', 'small']);
});

test('R13: giving back twice counts once', async () => {
  const gate = new MemoryGate(1_000);
  const release = await gate.acquire(400, patient());
  await gate.acquire(300, patient());
  release();
  release();
  expect(gate.usedMb).toBe(300);
});

test('R13: a wait that takes too long ends as QUEUE_TIMEOUT and lets those behind go on', async () => {
  const gate = new MemoryGate(1_000);
  await gate.acquire(600, patient());
  const large = gate.acquire(900, { ...patient(), timeoutMs: 20 });
  const small = gate.acquire(300, patient());
  await expect(large).rejects.toMatchObject({ code: 'QUEUE_TIMEOUT', details: { asked: 900, max: 1_000 } });
  await small;
  expect(gate.usedMb).toBe(900);
});

test('R13: where every slot is taken memory alone is not enough', async () => {
  const gate = new MemoryGate(1_000, 2);
  const release = await gate.acquire(1, patient());
  gate.take(1);
  const timely = gate.acquire(1, { ...patient(), timeoutMs: 20 });
  await expect(timely).rejects.toMatchObject({ code: 'QUEUE_TIMEOUT', message: 'waited 20 ms for one of 2 slots' });
  const third = gate.acquire(1, patient());
  await settled();
  expect(gate.waiting).toBe(1);
  release();
  await third;
  expect([gate.usedMb, gate.waiting]).toEqual([2, 0]);
});

test('an aborted wait rejects with the reason of the signal and holds nothing', async () => {
  const gate = new MemoryGate(1_000);
  const release = await gate.acquire(600, patient());
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const waiting = gate.acquire(900, { signal: controller.signal, timeoutMs: 60_000 });
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  release();
  expect([gate.usedMb, gate.waiting]).toEqual([0, 0]);
});

test('what can never fit is refused by name and value', async () => {
  await expect(new MemoryGate(1_000).acquire(1_001, patient())).rejects.toMatchObject({
    code: 'POLICY_DENIED',
    details: { limit: 'memoryMb', asked: 1_001, max: 1_000 },
  });
});

test('disk beyond half of the memory is memory on top', () => {
  expect(memoryNeed({ memoryMb: 256, diskMb: 128 })).toBe(256);
  expect(memoryNeed({ memoryMb: 256, diskMb: 1_128 })).toBe(1_256);
});
