import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { ExecutionCancelled, type HourglassSession, type SessionRequest } from '../../../../src/client';
import { HourglassError, type ExecutionResult } from '../../../../src/contract';
import { Interrupted } from '../../../../src/cli/errors';
import { History } from '../../../../src/cli/session/history';
import type { AfterDot } from '../../../../src/cli/session/perform-dot';
import { Prompt } from '../../../../src/cli/session/prompt';
import { PromptInput } from '../../../../src/cli/session/prompt-input';
import { eventually } from '../../../support/eventually';
import { recordTerminal, type RecordedTerminal } from '../../../support/terminal';

type Run = (program: SessionRequest, signal: AbortSignal) => Promise<ExecutionResult>;

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hourglass-test-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function result(value: unknown, more: Partial<ExecutionResult> = {}): ExecutionResult {
  const session = { sessionId: 'mine', call: 1, state: 'kept', background: 0 };
  const metadata = { language: 'python', exitCode: 0, session };
  const empty = { stdout: '', stderr: '', savedFiles: [], warnings: [] };
  return { success: true, result: value, ...empty, metadata, ...more } as unknown as ExecutionResult;
}

interface Opened {
  readonly input: PassThrough;
  readonly terminal: RecordedTerminal;
  readonly ended: Promise<AfterDot>;
  readonly shown: () => string;
  readonly stop: AbortController;
  readonly type: (text: string) => void;
}

function open(run: Run, session: Partial<HourglassSession> = {}, more: { json?: boolean } = {}): Opened {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = '';
  output.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const terminal = recordTerminal();
  const stop = new AbortController();
  const lines = new PromptInput({ input, output }, History.open(join(folder, 'history')));
  const directory = { status: async () => undefined } as never;
  const ids = { sessionId: 'mine', workflowId: 'w' };
  const calls = { lastCall: 3, wentBack: () => undefined };
  const prompt = new Prompt({
    ...{ input: lines, output, terminal, runner: { run }, request: {}, json: more.json === true, signal: stop.signal },
    options: { sessionId: 'mine', language: 'python' },
    dots: { session: { ...session, ...ids } as HourglassSession, directory, runner: calls, out: terminal.out },
    failed: new Promise(() => undefined),
  });
  const ended = prompt.run().finally(() => lines.close());
  ended.catch(() => undefined);
  const type = (text: string): void => void input.write(text);
  return { input, terminal, ended, shown: () => stripVTControlCharacters(shown), stop, type };
}

test('programs run as they are typed, and their values are printed as JSON, but for nothing', async () => {
  const ran: unknown[] = [];
  const { terminal, ended, type, shown } = open(async ({ code }) => {
    ran.push(code);
    return result(code === 'none' ? null : { code });
  });
  type('if x:\r  y\r\rnone\r');
  await eventually(
    () => ran.length,
    (length) => length >= 1,
  );
  type(CTRL_D);
  expect(await ended).toBe('left');
  expect(ran).toEqual(['if x:\n  y\n\nnone']);
  expect(terminal.text.out).toBe('{\n  "code": "if x:\\n  y\\n\\nnone"\n}\n');
  expect(shown()).toContain('mine> ');
});

test('what comes line by line has the prompt of a block until it is whole', async () => {
  const ran: unknown[] = [];
  const { ended, type, shown } = open(async ({ code }) => {
    ran.push(code);
    return result(null);
  });
  type('for a in b:\r');
  await eventually(shown, (text) => text.includes('....> '));
  type('  a\r');
  await eventually(shown, (text) => text.split('....> ').length > 2);
  type('\r');
  await eventually(
    () => ran,
    (codes) => codes.length === 1,
  );
  type('.exit\r');
  expect(await ended).toBe('left');
  expect(ran).toEqual(['for a in b:\n  a\n']);
});

test('Ctrl-C ends the program and not the prompt; at an empty prompt it says how to leave', async () => {
  let runs = 0;
  const { terminal, ended, type } = open(async (_, signal) => {
    runs += 1;
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    throw new ExecutionCancelled('x', 'cancelled');
  });
  type('1\r');
  await eventually(
    () => runs,
    (count) => count === 1,
  );
  type(CTRL_C);
  await eventually(
    () => terminal.text.err,
    (text) => text.includes('interrupted; the session goes on'),
  );
  type(CTRL_C);
  await eventually(
    () => terminal.text.err,
    (text) => text.includes('Ctrl-D leaves'),
  );
  type(CTRL_D);
  expect(await ended).toBe('left');
});

test('a second Ctrl-C leaves a program that does not end', async () => {
  let runs = 0;
  const { terminal, ended, type } = open(() => {
    runs += 1;
    return new Promise(() => undefined);
  });
  type('1\r');
  await eventually(
    () => runs,
    (count) => count === 1,
  );
  type(CTRL_C);
  await eventually(
    () => terminal.text.err,
    (text) => text.includes('again to leave'),
  );
  type(CTRL_C);
  await expect(ended).rejects.toBeInstanceOf(Interrupted);
});

test('a failure of one call is said, and the prompt goes on', async () => {
  const { terminal, ended, type } = open(async () => {
    throw new HourglassError('QUEUE_TIMEOUT', 'no room \u001b[2J');
  });
  type('1\r');
  await eventually(
    () => terminal.text.err,
    (text) => text.includes('✘ QUEUE_TIMEOUT no room \\u001b[2J'),
  );
  type('.exit\r');
  expect(await ended).toBe('left');
});

test.each(['SESSION_LOST', 'SESSION_CLOSED'] as const)('%s ends the prompt', async (code) => {
  const { ended, type } = open(async () => {
    throw new HourglassError(code, 'gone');
  });
  type('1\r');
  await expect(ended).rejects.toMatchObject({ code });
});

test('an error of a program is said once, with what is unusual about the state', async () => {
  const session = { sessionId: 'mine', call: 2, state: 'restored', background: 2 };
  const failing = result(null, {
    error: { code: 'TIMEOUT', type: 'TIMEOUT', message: 'Execution timed out after 1000ms' },
    metadata: { session } as unknown as ExecutionResult['metadata'],
  });
  const { terminal, ended, type } = open(async () => failing);
  type('1\r');
  await eventually(
    () => terminal.text.err,
    (text) => text.includes('background'),
  );
  type('.exit\r');
  await ended;
  expect(terminal.text.err).toContain('✘ TIMEOUT Execution timed out after 1000ms\n');
  expect(terminal.text.err).toContain('the state is that of before this program; 2 processes in the background\n');
});

test('with --json each result is one line', async () => {
  const { terminal, ended, type } = open(async () => result(7), {}, { json: true });
  type('7\r');
  await eventually(
    () => terminal.text.out,
    (text) => text.endsWith('\n'),
  );
  type('.exit\r');
  await ended;
  expect(JSON.parse(terminal.text.out)).toMatchObject({ result: 7 });
});

test('.close ends the session', async () => {
  let closed = 0;
  const close = async (): Promise<void> => void (closed += 1);
  const { ended, type } = open(async () => result(null), { close });
  type('.close\r');
  expect(await ended).toBe('closed');
  expect(closed).toBe(1);
});

test('a local file that is not there is said, and the prompt goes on', async () => {
  const { terminal, ended, type } = open(async () => result(null));
  type('.upload /nowhere/at/all\r');
  await eventually(
    () => terminal.text.err,
    (text) => text.includes('/nowhere/at/all'),
  );
  type('.bogus\r');
  await eventually(
    () => terminal.text.err,
    (text) => text.includes('no command .bogus'),
  );
  type(CTRL_D);
  expect(await ended).toBe('left');
});

test('a signal ends the prompt with its reason', async () => {
  const { ended, stop } = open(async () => result(null));
  stop.abort(new Interrupted('SIGTERM'));
  await expect(ended).rejects.toMatchObject({ by: 'SIGTERM' });
});
