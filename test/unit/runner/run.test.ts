import { Readable } from 'node:stream';
import type { RunEvents, StagedFile } from '../../../src/runner';
import { GOOD_END, reportOf, startedRun, startRun } from './scripted-guest';
import { file, hangingFile } from './staged-files';

describe('a run that goes well', () => {
  test('everything a program needs is sent in order, then START', async () => {
    const { guest, outcome } = startRun({
      code: 'print("ü")',
      inputJson: '{"n":1}',
      stdin: 'line\n',
      files: [file('a,b\n', { sandboxPath: 'data/in.csv', variableName: 'table' }), file('')],
      saveFigures: true,
    });
    await guest.received('START');
    expect(guest.frames.map(({ type, id }) => [type, id])).toEqual([
      ['RUN', 0],
      ['CODE', 0],
      ['INPUT', 0],
      ['STDIN', 0],
      ['FILE', 1],
      ['FILE_DATA', 1],
      ['FILE', 2],
      ['START', 0],
    ]);
    expect(JSON.parse(guest.sentAs('RUN').toString())).toEqual({
      executionId: 'e-1',
      checkpoint: null,
      session: null,
      language: 'python',
      hasStdin: true,
      fileVariables: { table: 'data/in.csv' },
      maxOutputBytes: 1_024,
      maxResultBytes: 16_777_216,
      jsonDepth: 200,
      figures: true,
    });
    expect(guest.sentAs('CODE').toString()).toBe('print("ü")');
    expect(guest.sentAs('STDIN').toString()).toBe('line\n');
    expect(JSON.parse(guest.sentAs('FILE', 1).toString())).toEqual({ path: 'data/in.csv', size: 4 });
    guest.send('STARTED', {});
    guest.send('END', GOOD_END);
    await expect(outcome).resolves.toMatchObject({ exitCode: 0, error: undefined, collectable: true });
  });

  test('a large file goes out in frames of at most 256 KiB, and its bytes are counted', async () => {
    const content = Buffer.alloc(700_000, 'x');
    let bytesIn = 0;
    const events: RunEvents = { onBytesIn: (bytes) => (bytesIn += bytes) };
    const { guest, outcome } = startRun({ files: [file(content)] }, { events });
    await guest.received('START');
    const sizes = guest.frames.filter(({ type }) => type === 'FILE_DATA').map(({ payload }) => payload.length);
    expect(sizes).toEqual([262_144, 262_144, 175_712]);
    expect(bytesIn).toBe(content.length);
    guest.send('STARTED', {});
    guest.send('END', GOOD_END);
    await outcome;
  });

  test('output, report and facts become the outcome', async () => {
    const seen: string[] = [];
    const events: RunEvents = {
      onPhase: (phase) => seen.push(phase),
      onOutput: (stream, chunk, kind) => seen.push(`${stream} ${kind} ${chunk.toString()}`),
    };
    const report = reportOf({ warnings: ['careful'] }, '{"a":[1]}');
    const { guest, outcome } = await startedRun({}, { events });
    guest.send('OUTPUT', 'out', 1);
    guest.send('OUTPUT', 'err', 2);
    guest.send('PREVIEW', 'live', 1);
    guest.send('REPORT', report.subarray(0, 10));
    guest.send('REPORT', report.subarray(10));
    guest.send('END', { ...GOOD_END, stdoutBytes: 3, stderrBytes: 3, reportBytes: report.length, warnings: ['odd'] });
    await expect(outcome).resolves.toEqual({
      exitCode: 0,
      signal: undefined,
      error: undefined,
      resultJson: '{"a":[1]}',
      stdout: 'out',
      stderr: 'err',
      stdoutBytes: 3,
      stderrBytes: 3,
      executionTimeMs: expect.any(Number),
      peakMemoryBytes: 1_000_000,
      cpuTimeMs: 1.5,
      figures: [],
      warnings: ['careful', 'odd'],
      collectable: true,
    });
    expect(seen).toEqual([
      'staging-in',
      'running',
      'stdout head out',
      'stderr head err',
      'stdout preview live',
      'ended',
    ]);
  });

  test('a long stream is its beginning and its end around a marker, with a warning', async () => {
    const { guest, outcome } = await startedRun();
    guest.send('OUTPUT', `BEGIN${'a'.repeat(1_019)}`, 1);
    guest.send('TAIL', `${'z'.repeat(1_021)}END`, 1);
    guest.send('END', { ...GOOD_END, stdoutBytes: 1_000_000 });
    const { stdout, warnings, stdoutBytes } = await outcome;
    expect(stdout).toMatch(/^BEGINa+\n\.\.\. \[truncated: 1000000 bytes .*\] \.\.\.\nz+END$/);
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(1_024);
    expect(stdoutBytes).toBe(1_000_000);
    expect(warnings).toEqual(['stdout was truncated: the program wrote 1000000 bytes, maxOutputBytes is 1024']);
  });
});

describe('input files that cannot be given', () => {
  const missing = Object.assign(new Error('gone'), { code: 'ENOENT' });

  test.each<[string, StagedFile, string]>([
    ['shrank', file('abc', { size: 4 }), 'has 3 bytes, a moment ago it had 4'],
    ['grew', file('abcde', { size: 4 }), 'has more than the 4 bytes it had a moment ago'],
    ['fails while it is read', file('', { open: async () => new Readable({ read: failing }) }), 'could not be read'],
    ['cannot be opened', file('', { open: () => Promise.reject(missing) }), 'could not be read'],
    ['is no text and has a variable', file(Buffer.from([0xc3, 0x28]), { variableName: 'v' }), 'variableName v'],
    ['ends inside a character and has a variable', file(Buffer.from([0xc3]), { variableName: 'v' }), 'not UTF-8 text'],
  ])('a file that %s ends the run before it starts', async (_, staged, reason) => {
    const { guest, outcome, calls } = startRun({ files: [staged] });
    await expect(outcome).rejects.toMatchObject({
      code: 'INPUT_FILE_ERROR',
      message: expect.stringContaining(reason),
      details: { path: 'in.txt' },
    });
    expect(guest.frames.map(({ type }) => type)).not.toContain('START');
    expect(calls.kill).toBe(0);
  });

  test('bytes that are no text are fine as a file, and characters may be cut anywhere', async () => {
    const parts = ['a', 'ü', '😀'].map((text) => Buffer.from(text));
    const bytes = Buffer.concat(parts);
    const open = async (): Promise<Readable> => Readable.from([...bytes].map((byte) => Buffer.from([byte])));
    const text = { sandboxPath: 'text', size: bytes.length, open, variableName: 'v' };
    const { guest, outcome } = startRun({ files: [file(Buffer.from([0xff])), text] });
    await guest.received('START');
    expect(guest.sentAs('FILE_DATA', 2)).toEqual(bytes);
    guest.send('STARTED', {});
    guest.send('END', GOOD_END);
    await outcome;
  });

  test('a full disk names the file and diskMb', async () => {
    const { guest, outcome } = startRun({ files: [file('abc')] });
    guest.send('STAGE_ERROR', { path: 'in.txt', code: 'ENOSPC', message: 'No space left on device' });
    await expect(outcome).rejects.toMatchObject({
      code: 'INPUT_FILE_ERROR',
      message: expect.stringContaining('diskMb is 64 MB'),
      details: { path: 'in.txt', limit: 'diskMb', max: 64 },
    });
  });

  test('a path that was never sent is not repeated', async () => {
    const { guest, outcome } = startRun({ files: [file('abc')] });
    guest.send('STAGE_ERROR', { path: '/etc/passwd', code: 'EIO', message: 'Input/output\u0007 error' });
    await expect(outcome).rejects.toMatchObject({
      message: 'an input could not be placed in the sandbox: Input/output\\u0007 error (EIO)',
      details: {},
    });
  });

  test('a file that the guest refuses stops the others', async () => {
    const hanging = hangingFile();
    const { guest, outcome } = startRun({ files: [hanging.file] });
    await guest.received('FILE_DATA');
    guest.send('STAGE_ERROR', { path: 'slow.bin', code: 'EEXIST', message: 'File exists' });
    await expect(outcome).rejects.toMatchObject({ code: 'INPUT_FILE_ERROR' });
    await hanging.destroyed;
  });
});

function failing(this: Readable): void {
  this.destroy(new Error('disk on fire'));
}
