import { chooseSession, sessionOptionsOf } from '../../../../src/cli/session/choose-session';
import type { SessionStatus } from '../../../../src/contract';

const STATUS = { sessionId: 'mine', language: 'shell', phase: 'idle', calls: 3 } as unknown as SessionStatus;
const OPTIONS = sessionOptionsOf('mine', { idle: 60_000, memory: 512 });

const directory = (isOpen: boolean | undefined, status: SessionStatus | undefined) => ({
  isOpen: async () => isOpen,
  status: async () => status,
});

test('options of a command line are those of a session', () => {
  expect(OPTIONS).toMatchObject({
    sessionId: 'mine',
    language: 'python',
    idleTtlMs: 60_000,
    resourceLimits: { memoryMb: 512 },
  });
});

test.each<[string, boolean | undefined, SessionStatus | undefined, string]>([
  ['never was', undefined, undefined, 'python'],
  ['has ended', false, undefined, 'python'],
  ['has just ended', true, { ...STATUS, phase: 'closed' }, 'python'],
  ['is open', true, STATUS, 'shell'],
])('the language of a session that %s', async (_, isOpen, status, language) => {
  const { options } = await chooseSession(OPTIONS, undefined, directory(isOpen, status));
  expect(options.language).toBe(language);
});

test('another language than that of the open session is refused', async () => {
  const asked = chooseSession(OPTIONS, 'python', directory(true, STATUS));
  await expect(asked).rejects.toMatchObject({ code: 'SESSION_MISMATCH' });
});

test('a session that nobody answers for needs its language', async () => {
  await expect(chooseSession(OPTIONS, undefined, directory(true, undefined))).rejects.toMatchObject({ exitCode: 75 });
  expect(await chooseSession(OPTIONS, 'python', directory(true, undefined))).toEqual({ options: OPTIONS });
});
