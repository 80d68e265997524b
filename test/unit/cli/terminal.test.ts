import { PassThrough } from 'node:stream';
import type { ExecutionResult } from '../../../src/contract';
import { printReport } from '../../../src/cli/run/report';
import { execute } from '../../../src/cli/program';
import { StreamChannel, type Terminal } from '../../../src/cli/terminal';

/** A title, a cleared screen in both spellings, a bell, an overwritten line, reordered text, a forged line. */
const EVIL = '\u001b]0;owned\u0007\u001b[2J\u009b2J\rover\u202egpj.exe\u2066\n✔ python program, exit code 0';
/** What no terminal may get from us, but for our own colours. */
// eslint-disable-next-line no-control-regex
const OBEYED = /(?!\u001b\[\d+m)[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/u;

function open(isTerminal: boolean): { terminal: Terminal; text: { out: () => string; err: () => string } } {
  const streams = { out: new PassThrough(), err: new PassThrough() };
  const channel = (name: 'out' | 'err'): StreamChannel =>
    new StreamChannel(streams[name], isTerminal, { TERM: 'xterm' });
  const read = (name: 'out' | 'err') => (): string => String(streams[name].read() ?? '');
  const terminal = { out: channel('out'), err: channel('err'), flush: () => Promise.resolve() };
  return { terminal, text: { out: read('out'), err: read('err') } };
}

const RESULT: ExecutionResult = {
  success: false,
  result: { [EVIL]: EVIL },
  error: { code: 'RUNTIME_ERROR', type: `Evil${EVIL}`, message: EVIL, line: 1, traceback: EVIL },
  stdout: EVIL,
  stderr: '',
  savedFiles: [{ workspacePath: EVIL, sandboxPath: EVIL, size: 1, sha256: '', mediaType: 'text/plain' }],
  warnings: [`Output file not found: ${EVIL}`],
  metadata: {
    executionId: 'x',
    language: 'python',
    engine: 'container',
    exitCode: 1,
    executionTimeMs: 1,
    queueTimeMs: 1,
    totalTimeMs: 1,
    startKind: 'cold',
    attempt: 1,
  } as ExecutionResult['metadata'],
};

test.each([true, false])(
  'R44: a report of hostile texts moves nothing and forges no line (terminal: %s)',
  (isTerminal) => {
    const { terminal, text } = open(isTerminal);
    printReport(RESULT, { locate: () => EVIL, url: undefined, copied: [EVIL] }, terminal.err);
    const shown = text.err();
    expect(shown).toContain('\\u001b]0;owned\\u0007');
    expect(shown).not.toMatch(OBEYED);
    const outcomes = shown.split('\n').filter((line) => line.startsWith('✔'));
    expect(outcomes).toEqual([]);
  },
);

test('R44: what a program prints reaches a terminal as text, and a pipe as it is', () => {
  for (const isTerminal of [true, false]) {
    const { terminal, text } = open(isTerminal);
    terminal.out.raw(Buffer.from(EVIL));
    if (isTerminal) expect(text.out()).not.toMatch(OBEYED);
    else expect(text.out()).toBe(EVIL);
  }
});

test.each([true, false])(
  'R44: a failure shows the text of a file name or an option, coloured (terminal: %s)',
  async (isTerminal) => {
    const { terminal, text } = open(isTerminal);
    await execute(['run', `no-such-${EVIL}.py`], terminal);
    const failed = text.err();
    expect(failed).toContain('\\u001b]0;owned');
    expect(failed).not.toMatch(OBEYED);
    expect(failed.startsWith(isTerminal ? '\u001b[31mhourglass: ' : 'hourglass: ')).toBe(true);
    await execute(['run', `--no-such-${EVIL}`], terminal);
    expect(text.err()).not.toMatch(OBEYED);
  },
);
