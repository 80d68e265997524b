import { listFiles } from '../../../src/runner/collect';
import type { ToHost } from '../../../src/runner/protocol';
import { GOOD_END, guestFrame, startedRun, startRun } from './scripted-guest';
import { hangingFile } from './staged-files';

describe('what a guest may not say', () => {
  const end = (fields: object): Buffer => guestFrame('END', { ...GOOD_END, ...fields });
  const output = (bytes: number, id = 1): Buffer => guestFrame('OUTPUT', Buffer.alloc(bytes, 'x'), id);

  test.each<[string, Buffer[]]>([
    ['READY again', [guestFrame('READY', {})]],
    ['STARTED again', [guestFrame('STARTED', {})]],
    ['a stage error while the program runs', [guestFrame('STAGE_ERROR', { path: 'a', code: 'b', message: 'c' })]],
    ['a listing', [guestFrame('LISTING', { entries: [], more: false, truncated: false })]],
    ['bytes of a file', [guestFrame('FILE_DATA', 'x', 1)]],
    ['the end of a file', [guestFrame('FILE_END', { size: 0 }, 1)]],
    ['output of a third stream', [output(1, 3)]],
    ['output without bytes', [output(0)]],
    ['more output than the limit', [output(1_000), output(25)]],
    ['more of the end than the limit', [guestFrame('TAIL', Buffer.alloc(1_025), 2)]],
    ['output after the end of the stream', [guestFrame('TAIL', 'x', 1), output(1)]],
    ['a preview after the program', [guestFrame('REPORT', 'x'), guestFrame('PREVIEW', 'x', 1)]],
    ['a preview that is too long', [guestFrame('PREVIEW', Buffer.alloc(2_049), 1)]],
    ['a flood of previews', Array.from({ length: 500 }, () => guestFrame('PREVIEW', 'x', 1))],
    ['a report larger than any result', Array.from({ length: 17 }, () => guestFrame('REPORT', Buffer.alloc(1 << 20)))],
    ['an END that is no JSON', [guestFrame('END', 'nothing')]],
    ['an END with neither exit code nor signal', [end({ exitCode: null })]],
    ['an END with both exit code and signal', [end({ signal: 9 })]],
    ['an END with an exit code that there is not', [end({ exitCode: 256 })]],
    ['an END with a signal that there is not', [end({ exitCode: null, signal: 65 })]],
    ['an END that counts less than was sent', [output(10), end({ stdoutBytes: 9 })]],
    ['an END that counts another report', [guestFrame('REPORT', 'x'), end({ reportBytes: 2 })]],
    ['an END with a figure elsewhere', [end({ figures: ['../figure-1.png'] })]],
    ['an END with half a number', [end({ oomKills: 0.5 })]],
    ['a frame of an unknown type', [guestFrame(0x42, 'x')]],
    ['no frame at all', [Buffer.from('Traceback (most recent call last)')]],
  ])('R18: %s is a protocol error and the container is killed', async (_, frames) => {
    const { guest, outcome, calls } = await startedRun();
    for (const frame of frames) guest.output.write(frame);
    await expect(outcome).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
    expect(calls.kill).toBe(1);
  });

  test.each<ToHost>(['STARTED', 'OUTPUT', 'TAIL', 'REPORT', 'END', 'READY'])(
    'R18: %s before START is one, too',
    async (type) => {
      const { guest, outcome } = startRun({ files: [hangingFile().file] });
      await guest.received('FILE_DATA');
      guest.send(type, type === 'END' ? { ...GOOD_END, exitCode: null } : {}, 1);
      await expect(outcome).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
    },
  );

  test('R18: a run has one END; another one is a protocol error for whoever asks next', async () => {
    const { guest, outcome, calls } = await startedRun();
    guest.output.write(Buffer.concat([guestFrame('END', GOOD_END), guestFrame('END', { ...GOOD_END, exitCode: 7 })]));
    await expect(outcome).resolves.toMatchObject({ exitCode: 0, error: undefined });
    await expect(listFiles(guest.channel, 'sandbox', 10)).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
    expect(calls.kill).toBe(0);
  });

  test('R18: END of a program that never started is no success', async () => {
    const { guest, outcome } = startRun();
    await guest.received('START');
    guest.send('END', GOOD_END);
    await expect(outcome).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
  });
});
