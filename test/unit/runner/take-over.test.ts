import { attachedFrame } from '../../../src/runner/frames';
import { resumeProgram, type StartedProgram } from '../../../src/runner';
import { TO_HOST } from '../../../src/runner/protocol';
import { GOOD_END, guestFrame, PROGRAM, ScriptedGuest } from './scripted-guest';

const never = new AbortController().signal;
const STATE = { state: 'running', executionId: 'e', elapsedMs: 5 };

/** A guest that another host has left in the middle of what it was sending. */
async function takenOver(rubble: Buffer, state: object = STATE): Promise<ScriptedGuest> {
  const guest = new ScriptedGuest();
  const taken = guest.channel.takeOver(5_000, never);
  const { payload } = await guest.received('ATTACH');
  guest.output.write(Buffer.concat([rubble, attachedFrame(payload), guestFrame('STATE', state)]));
  expect(await taken).toEqual(state);
  return guest;
}

const end = guestFrame('OUTPUT', Buffer.alloc(5_000, 1), 1);

test.each<[string, Buffer]>([
  ['nothing', Buffer.alloc(0)],
  ['the end of a frame', end.subarray(17)],
  ['the end of a header', end.subarray(3)],
  ['whole frames', Buffer.concat([end, end])],
  ['a frame that looks like the answer', attachedFrame(Buffer.alloc(32))],
])('a guest is taken over after %s', async (_, rubble) => {
  const guest = await takenOver(rubble);
  guest.send('STARTED', {});
  expect(await guest.channel.next()).toMatchObject({ type: 'STARTED' });
});

test('the answer is found in whatever parts it comes', async () => {
  const guest = new ScriptedGuest();
  const taken = guest.channel.takeOver(5_000, never);
  const { payload } = await guest.received('ATTACH');
  const bytes = Buffer.concat([end.subarray(20), attachedFrame(payload), guestFrame('STATE', STATE)]);
  for (const byte of bytes) guest.output.write(Buffer.from([byte]));
  expect(await taken).toEqual(STATE);
});

test.each<[string, (guest: ScriptedGuest) => void, string]>([
  ['says nothing', () => undefined, 'SANDBOX_LOST'],
  ['ends', (guest) => guest.die(), 'SANDBOX_LOST'],
  ['never answers, however much it says', (guest) => void guest.output.write(Buffer.alloc(70 << 20)), 'PROTOCOL_ERROR'],
])('a guest that %s is not taken over', async (_, act, code) => {
  const guest = new ScriptedGuest();
  const taken = guest.channel.takeOver(500, never);
  act(guest);
  await expect(taken).rejects.toMatchObject({ code });
});

test.each([{ state: 'asleep' }, { ...STATE, elapsedMs: -1 }, { ...STATE, executionId: 7 }])(
  'an answer that is none is a violation: %p',
  async (state) => {
    const guest = new ScriptedGuest();
    const taken = guest.channel.takeOver(5_000, never);
    const { payload } = await guest.received('ATTACH');
    guest.output.write(Buffer.concat([attachedFrame(payload), guestFrame('STATE', state)]));
    await expect(taken).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
  },
);

const END = { ...GOOD_END, stdoutBytes: 3, wallMs: 900, reportBytes: 0 };

function resume(guest: ScriptedGuest, started: StartedProgram): ReturnType<typeof resumeProgram> {
  const sandbox = { end: async () => ({ exitCode: 0, oomKilled: false, lost: false }), kill: async () => guest.die() };
  return resumeProgram(guest.channel, PROGRAM, started, {}, { signal: never, ...sandbox });
}

test('a program that has ended meanwhile is heard to its end, and nothing is sent to start it', async () => {
  const guest = await takenOver(end.subarray(9), { ...STATE, state: 'ended' });
  const outcome = resume(guest, { ranMs: 1_000_000, hasEnded: true });
  guest.send('STARTED', {});
  guest.send('OUTPUT', Buffer.from('abc'), 1);
  guest.send('END', END);
  expect(await outcome).toMatchObject({ exitCode: 0, stdout: 'abc', executionTimeMs: 900, error: undefined });
  expect(guest.frames.map(({ type }) => type)).toEqual(['ATTACH']);
});

test('the time that a program ran before counts', async () => {
  const guest = await takenOver(Buffer.alloc(0));
  const outcome = resume(guest, { ranMs: PROGRAM.timeoutMs, hasEnded: false });
  guest.send('STARTED', {});
  expect(JSON.parse(String((await guest.received('KILL')).payload))).toEqual({ reason: 'timeout' });
  guest.send('END', { ...END, exitCode: null, signal: 9, killReason: 'timeout', stdoutBytes: 0 });
  expect(await outcome).toMatchObject({ error: { code: 'TIMEOUT' } });
});

test('frames of an answer have types of their own', () => {
  expect(new Set(Object.values(TO_HOST)).size).toBe(Object.keys(TO_HOST).length);
});
