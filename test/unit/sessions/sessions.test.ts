import type { SessionKey } from '../../../src/contract';
import type { LiveSession } from '../../../src/sessions/live-session';
import { Sessions } from '../../../src/sessions/sessions';

const keyOf = (sessionId: string, userId = 'ada'): SessionKey => ({
  workspaceId: 'w',
  userId,
  sessionId,
  firstRunId: 'run-1',
  generation: 1,
});

/** As much of a session as a list of sessions asks for. */
function sessionOf(key: SessionKey) {
  const session = { key, isOurs: true, sandboxId: `hourglass-${key.sessionId}`, ends: [] as string[] };
  return Object.assign(session, {
    leave: () => void session.ends.push('left'),
    close: () => Promise.resolve(void session.ends.push('closed')),
  });
}

const asLive = (session: ReturnType<typeof sessionOf>): LiveSession => session as unknown as LiveSession;
const nowhere = (): Promise<undefined> => Promise.resolve(undefined);
const made = (session: ReturnType<typeof sessionOf>) => () => Promise.resolve(asLive(session));

test('however many ask for one session at the same time, one is made', async () => {
  const sessions = new Sessions({ max: 5, maxPerTenant: 5 });
  let count = 0;
  const make = (): Promise<LiveSession> => {
    count += 1;
    return Promise.resolve(asLive(sessionOf(keyOf('a'))));
  };
  const opened = await Promise.all([1, 2, 3].map(() => sessions.open(keyOf('a'), nowhere, make)));
  expect(count).toBe(1);
  expect(new Set(opened).size).toBe(1);
});

test('the same id of another user, or opened another time, is another session', async () => {
  const sessions = new Sessions({ max: 5, maxPerTenant: 5 });
  const keys = [
    keyOf('a'),
    keyOf('a', 'bob'),
    { ...keyOf('a'), firstRunId: 'run-2' },
    { ...keyOf('a'), generation: 2 },
  ];
  const opened = await Promise.all(keys.map((key) => sessions.open(key, nowhere, made(sessionOf(key)))));
  expect(new Set(opened).size).toBe(4);
});

test('a tenant has so many, a worker has so many', async () => {
  const sessions = new Sessions({ max: 3, maxPerTenant: 2 });
  const open = (key: SessionKey) => sessions.open(key, nowhere, made(sessionOf(key)));
  await open(keyOf('a'));
  await open(keyOf('b'));
  await expect(open(keyOf('c'))).rejects.toMatchObject({ code: 'SESSION_LIMIT', details: { max: 2 } });
  await open(keyOf('a', 'bob'));
  await expect(open(keyOf('a', 'eve'))).rejects.toMatchObject({ code: 'QUEUE_TIMEOUT' });
});

test('one that could not be made takes no room', async () => {
  const sessions = new Sessions({ max: 1, maxPerTenant: 1 });
  const fail = (): Promise<never> => Promise.reject(new Error('no'));
  await expect(sessions.open(keyOf('a'), nowhere, fail)).rejects.toThrow('no');
  expect(await sessions.open(keyOf('b'), nowhere, made(sessionOf(keyOf('b'))))).toBeDefined();
});

test('one that is another worker’s by now is left, and looked for again', async () => {
  const sessions = new Sessions({ max: 1, maxPerTenant: 1 });
  const [first, second] = [sessionOf(keyOf('a')), sessionOf(keyOf('a'))];
  await sessions.open(keyOf('a'), nowhere, made(first));
  first.isOurs = false;
  expect(await sessions.find(keyOf('a'), made(second))).toBe(second);
  expect(first.ends).toEqual(['left']);
});

test.each([
  ['keep', 'left'],
  ['close', 'closed'],
] as const)('at the end (%s) each is %s', async (how, end) => {
  const sessions = new Sessions({ max: 5, maxPerTenant: 5 });
  const all = ['a', 'b'].map((id) => sessionOf(keyOf(id)));
  for (const session of all) await sessions.open(session.key, nowhere, made(session));
  await sessions.end(how);
  expect(all.map(({ ends }) => ends)).toEqual([[end], [end]]);
  expect(sessions.live()).toEqual([]);
});
