import type { BatchLine } from '../../../../src/cli/batch/batch-line';
import { SessionQueues } from '../../../../src/cli/batch/session-queues';

const line = (id: string, sessionId?: string, userId?: string): BatchLine => {
  const request = { language: 'python', code: '1', ...(sessionId && { sessionId }), ...(userId && { userId }) };
  return { id, number: 1, request, inline: [], folder: 'f' } as BatchLine;
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Puts lines through as many lanes; ids as they began, and how many of one session ran at a time. */
async function put(lines: BatchLine[], lanes: number, bytes = 1): Promise<{ order: string[]; most: number }> {
  const queues = new SessionQueues();
  const order: string[] = [];
  const running = new Map<string, number>();
  let most = 0;
  const answer = async ({ id, request }: BatchLine): Promise<void> => {
    const key = request.sessionId ?? id;
    order.push(id);
    running.set(key, (running.get(key) ?? 0) + 1);
    most = Math.max(most, running.get(key) ?? 0);
    for (let n = 0; n < 3; n += 1) await turn();
    running.set(key, (running.get(key) ?? 0) - 1);
  };
  const lane = async (): Promise<void> => {
    for (let next = lines.shift(); next !== undefined; next = lines.shift())
      await queues.answer({ line: next, bytes }, answer);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { order, most };
}

test('lines of one session run in their order, one at a time, and others pass them', async () => {
  const ids = ['a1', 'a2', 'a3', 'x', 'a4', 'y'];
  const lines = ids.map((id) => line(id, id.startsWith('a') ? 'a' : undefined));
  const { order, most } = await put(lines, 2);
  expect(order.filter((id) => id.startsWith('a'))).toEqual(['a1', 'a2', 'a3', 'a4']);
  expect(order.indexOf('x')).toBe(1);
  expect(most).toBe(1);
});

test('sessions of the same id of two tenants are two', async () => {
  const { order } = await put([line('1', 's', 'ada'), line('2', 's', 'bob')], 2);
  expect(order).toEqual(['1', '2']);
});

test('lines that are too many to wait are left in the file until there is room', async () => {
  const lines = Array.from({ length: 20 }, (_, n) => line(`a${n}`, 'a'));
  const { order } = await put([...lines, line('x')], 2, 30 * 1_048_576);
  expect(order.filter((id) => id !== 'x')).toEqual(lines.map(({ id }) => id));
  expect(order.indexOf('x')).toBeGreaterThan(10);
});

test('what fails one line ends the work for its session', async () => {
  const queues = new SessionQueues();
  const fail = async (): Promise<void> => {
    await turn();
    throw new Error('no');
  };
  const first = queues.answer({ line: line('1', 's'), bytes: 1 }, fail);
  await queues.answer({ line: line('2', 's'), bytes: 1 }, fail);
  await expect(first).rejects.toThrow('no');
  const ran: string[] = [];
  await queues.answer({ line: line('3', 's'), bytes: 1 }, async ({ id }) => void ran.push(id));
  expect(ran).toEqual(['3']);
});
