import { GOOD_END, startedRun, startRun } from './scripted-guest';
import { hangingFile } from './staged-files';

describe('a guest that goes away', () => {
  test('a guest that gives up says why, without control characters', async () => {
    const { guest, outcome } = await startedRun();
    guest.send('FATAL', { message: 'no\u001b[2J memory' });
    await expect(outcome).rejects.toMatchObject({
      code: 'SANDBOX_LOST',
      message: 'the sandbox gave up: no\\u001b[2J memory',
    });
  });

  test.each([
    ['ended', { exitCode: 3, oomKilled: false, lost: false }, 'with exit code 3'],
    ['vanished', { exitCode: undefined, oomKilled: false, lost: true }, 'vanished while the program ran'],
    ['left its stream', { exitCode: undefined, oomKilled: false, lost: false }, 'the stream to the sandbox broke'],
  ])('a sandbox that %s is lost, with the cause', async (_, end, reason) => {
    const { guest, outcome, calls } = await startedRun({}, { end });
    const cause = new Error('read ECONNRESET');
    guest.die(cause);
    await expect(outcome).rejects.toMatchObject({
      code: 'SANDBOX_LOST',
      message: expect.stringContaining(reason),
      cause,
    });
    expect(calls).toEqual({ end: 1, kill: 1 });
  });

  test('a sandbox that was killed for memory is the program that exceeded its limit', async () => {
    const { guest, outcome } = await startedRun({}, { end: { exitCode: 137, oomKilled: true, lost: false } });
    guest.send('OUTPUT', 'so far', 1);
    guest.die();
    await expect(outcome).resolves.toMatchObject({
      exitCode: 137,
      signal: 'SIGKILL',
      error: { code: 'MEMORY_LIMIT', message: 'Program exceeded its memory limit of 256 MB (memoryMb)' },
      stdout: 'so far',
      collectable: false,
    });
  });

  test('a sandbox that goes away while files are sent is lost, and the source is closed', async () => {
    const hanging = hangingFile();
    const { guest, outcome } = startRun({ files: [hanging.file] });
    await guest.received('FILE_DATA');
    guest.die();
    await expect(outcome).rejects.toMatchObject({
      code: 'SANDBOX_LOST',
      message: 'the sandbox ended before the program started with exit code 1',
    });
    await hanging.destroyed;
  });
});

describe('a call of a session', () => {
  test('what has become of the state is part of its outcome', async () => {
    const { guest, outcome } = await startedRun({ session: { call: 2 } });
    expect(JSON.parse(guest.sentAs('RUN').toString())).toMatchObject({ session: { call: 2 } });
    guest.send('END', { ...GOOD_END, session: { state: 'kept', background: 3 } });
    await expect(outcome).resolves.toMatchObject({ session: { state: 'kept', background: 3 } });
  });

  test.each([[undefined], [null], [{ state: 'fine', background: 0 }], [{ state: 'kept', background: -1 }]])(
    'R18: an END that says %j of its session is refused',
    async (session) => {
      const { guest, outcome } = await startedRun({ session: { call: 2 } });
      guest.send('END', { ...GOOD_END, session });
      await expect(outcome).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
    },
  );

  test('a program that is alone has no session, whatever its guest says', async () => {
    const { guest, outcome } = await startedRun();
    guest.send('END', { ...GOOD_END, session: { state: 'kept', background: 3 } });
    expect(await outcome).not.toHaveProperty('session');
  });
});

describe('a program that runs too long', () => {
  const KILLED = { ...GOOD_END, exitCode: null, signal: 9, killReason: 'timeout' };

  test('R10: it is killed by the guest and keeps what it printed', async () => {
    const { guest, outcome, calls } = await startedRun({ timeoutMs: 5 }, { killGraceMs: 60_000 });
    guest.send('OUTPUT', 'early\n', 1);
    const kill = await guest.received('KILL');
    expect(JSON.parse(kill.payload.toString())).toEqual({ reason: 'timeout' });
    guest.send('END', { ...KILLED, stdoutBytes: 6 });
    await expect(outcome).resolves.toMatchObject({
      exitCode: 137,
      signal: 'SIGKILL',
      error: { code: 'TIMEOUT', message: 'Execution timed out after 5ms' },
      stdout: 'early\n',
      collectable: true,
    });
    expect(calls.kill).toBe(0);
  });

  test('R14: one that had just ended by itself keeps its own end', async () => {
    const { guest, outcome } = await startedRun({ timeoutMs: 5 }, { killGraceMs: 60_000 });
    await guest.received('KILL');
    guest.send('END', GOOD_END);
    await expect(outcome).resolves.toMatchObject({ exitCode: 0, error: undefined });
  });

  test('R14: one that ran out of memory first is out of memory', async () => {
    const { guest, outcome } = await startedRun({ timeoutMs: 5 }, { killGraceMs: 60_000 });
    await guest.received('KILL');
    guest.send('END', { ...KILLED, oomKills: 1 });
    await expect(outcome).resolves.toMatchObject({ error: { code: 'MEMORY_LIMIT' } });
  });

  test('R10: a guest that does not answer loses its container, and the run is still a timeout', async () => {
    const { guest, outcome, calls } = await startedRun({ timeoutMs: 5 });
    guest.send('OUTPUT', 'early\n', 1);
    await expect(outcome).resolves.toMatchObject({
      error: { code: 'TIMEOUT', message: 'Execution timed out after 5ms' },
      stdout: 'early\n',
      collectable: false,
    });
    expect(calls).toEqual({ kill: 1, end: 0 });
  });
});

describe('a run that is cancelled', () => {
  const reason = new Error('cancelled by the user');

  test('nothing is sent when it was cancelled before it began', async () => {
    const abort = new AbortController();
    abort.abort(reason);
    const { guest, outcome, calls } = startRun({}, { abort });
    await expect(outcome).rejects.toBe(reason);
    expect(guest.frames).toEqual([]);
    expect(calls.kill).toBe(0);
  });

  test('the program is killed first, then the reason is thrown', async () => {
    const { guest, outcome, abort, calls } = await startedRun({}, { killGraceMs: 60_000 });
    const order: string[] = [];
    outcome.catch(() => order.push('rejected'));
    abort.abort(reason);
    const kill = await guest.received('KILL');
    expect(JSON.parse(kill.payload.toString())).toEqual({ reason: 'cancelled' });
    order.push('dead');
    guest.send('END', { ...GOOD_END, exitCode: null, signal: 9, killReason: 'cancelled' });
    await expect(outcome).rejects.toBe(reason);
    expect(order).toEqual(['dead', 'rejected']);
    expect(calls).toEqual({ kill: 0, end: 0 });
  });

  test('a guest that does not answer loses its container before the reason is thrown', async () => {
    const { outcome, abort, calls } = await startedRun();
    abort.abort(reason);
    await expect(outcome).rejects.toBe(reason);
    expect(calls.kill).toBe(1);
  });

  test('sending stops at once, also where the source of a file hangs', async () => {
    const hanging = hangingFile();
    const { guest, outcome, abort, calls } = startRun({ files: [hanging.file] }, { killGraceMs: 60_000 });
    await guest.received('FILE_DATA');
    abort.abort(reason);
    await guest.received('KILL');
    guest.send('END', { ...GOOD_END, exitCode: null, killReason: 'cancelled' });
    await expect(outcome).rejects.toBe(reason);
    await hanging.destroyed;
    expect(guest.frames.at(-1)?.type).toBe('KILL');
    expect(calls.kill).toBe(0);
  });

  test('a cancellation of a program that had ended counts', async () => {
    const { guest, outcome, abort } = await startedRun({}, { killGraceMs: 60_000 });
    abort.abort(reason);
    guest.send('END', GOOD_END);
    await expect(outcome).rejects.toBe(reason);
  });
});
