import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionRequest } from '../../src/contract';
import type { ResultLine } from '../../src/cli/batch/results-file';
import type { SessionRow } from '../../src/cli/session/rows';
import { createHourglassClient, type HourglassClient } from '../../src/client';
import { readResults, returnedFile, writeLines } from '../support/batch';
import type { CliProcess, CommandEnd } from '../support/cli';
import { CliSetup } from '../support/cli-setup';
import { eventually } from '../support/eventually';
import type { WorkerPlace } from '../support/test-worker';

let setup: CliSetup;
let place: WorkerPlace;
let hourglass: HourglassClient;

beforeAll(async () => {
  setup = await CliSetup.open();
  ({ place } = setup);
  const { taskQueue } = place.config.temporal;
  hourglass = await createHourglassClient({ address: setup.address, taskQueue });
  await setup.worker();
});

afterAll(async () => {
  await hourglass?.close();
  await setup?.close();
});

const start = (...argv: string[]): CliProcess => setup.start(argv);
const batch = (...argv: string[]): Promise<CommandEnd> => start('batch', ...argv).ended;

const line = (
  id: string,
  sessionId: string | undefined,
  code: string,
  more: Partial<ExecutionRequest> = {},
): object => ({
  id,
  request: { language: 'python', code, ...(sessionId && { sessionId }), ...more },
});

const valueOf = (found: ResultLine | undefined): unknown =>
  found !== undefined && 'result' in found ? found.result.result : found;

async function openSessions(): Promise<(string | undefined)[]> {
  const { stdout } = await start('session', 'ls', '--json').ended;
  return (JSON.parse(stdout) as { sessions: SessionRow[] }).sessions.map(({ sessionId }) => sessionId);
}

test('lines of one session run in the order of the file, others beside them, and the session is closed at the end', async () => {
  writeLines(place, 'order.jsonl', [
    line('1', 's', 'import time; seen = [1]; time.sleep(1)'),
    line('2', 's', 'seen.append(2)'),
    line('alone', undefined, '"alone"'),
    line('other', 's', 'seen = "of ada"; seen', { userId: 'ada' }),
    line('fails', 's', '1 / 0'),
    line('shell', 's', 'echo hi', { language: 'shell' }),
    { id: 'file', request: { ...fileRequest(), sessionId: 's' } },
    line('3', 's', 'seen.append(3); seen + [open("in.txt").read()]'),
  ]);
  const end = await batch('order.jsonl', '-o', 'order-results.jsonl', '-n', '3', '--inline-files', '1k', '--json');
  expect(JSON.parse(end.stdout)).toMatchObject({ results: 7, succeeded: 6, failures: 1 });
  const found = readResults(place, 'order-results.jsonl');
  expect(valueOf(found['3'])).toEqual([1, 2, 3, 'hé']);
  expect(valueOf(found['alone'])).toBe('alone');
  expect(valueOf(found['other'])).toBe('of ada');
  expect(found['fails']).toMatchObject({ result: { error: { code: 'RUNTIME_ERROR' } } });
  expect(found['shell']).toMatchObject({ failure: { code: 'SESSION_MISMATCH', retryable: false } });
  expect(found['file']).toMatchObject({ files: { 'out.txt': returnedFile(Buffer.from('HÉ')) } });
  expect(await openSessions()).toEqual([]);
  expect(await place.files()).toEqual([]);
  await eventually(
    () => place.containers(),
    (names) => names.length === 0,
  );
});

function fileRequest(): object {
  return {
    language: 'python',
    code: 'open("out.txt", "w").write(open("in.txt").read().upper())',
    inputFiles: [{ sandboxPath: 'in.txt', content: 'hé' }],
    outputFiles: [{ sandboxPath: 'out.txt' }],
  };
}

test('where the results file is gone the batch begins anew, and so does its session', async () => {
  const run = async (code: string): Promise<unknown[]> => {
    writeLines(place, 'anew.jsonl', [line('1', 'anew', 'import time; x = time.time(); x'), line('2', 'anew', code)]);
    await batch('anew.jsonl', '-o', 'anew-results.jsonl');
    const found = readResults(place, 'anew-results.jsonl');
    return [valueOf(found['1']), valueOf(found['2'])];
  };
  const [before, mistake] = await run('[x, y]');
  expect(mistake).toBeNull();
  await rm(join(place.dir, 'anew-results.jsonl'));
  const [after, mended] = await run('[x, 1]');
  expect(after).not.toBe(before);
  expect(mended).toEqual([after, 1]);
});

test('an answer that an ended session tells again binds nobody to it', async () => {
  const asks = { callId: 'told-again' };
  const first = hourglass.session({ sessionId: 'told', language: 'python' });
  const { result } = await first.run('import time; x = time.time(); x', asks);
  await first.close();
  await using second = hourglass.session({ sessionId: 'told', language: 'python' });
  expect((await second.run('x = 0; x', asks)).result).toBe(result);
  expect((await second.run('"x" in globals()')).result).toBe(false);
});

test('a session that was there before is joined and stays, one that is to be kept stays', async () => {
  const before = hourglass.session({ sessionId: 'before', language: 'python' });
  await before.run('x = 1');
  writeLines(place, 'kept.jsonl', [line('joined', 'before', 'x += 1; x'), line('opened', 'kept', 'y = 5')]);
  const end = await batch('kept.jsonl', '-o', 'kept-results.jsonl', '--keep-sessions');
  expect(end).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('sessions that stay open: kept\n') as string,
  });
  expect(valueOf(readResults(place, 'kept-results.jsonl')['joined'])).toBe(2);
  expect((await openSessions()).sort()).toEqual(['before', 'kept']);
  await using kept = hourglass.session({ sessionId: 'kept', language: 'python' });
  expect((await kept.run('y')).result).toBe(5);
  await before.close();
});

test('after a loss each of the lines that are left says so, and other sessions go on', async () => {
  writeLines(place, 'lost.jsonl', [
    line('first', 'doomed', 'x = 1'),
    line('long', 'doomed', 'print("begun", flush=True); import time; time.sleep(100)', { timeout: 120_000 }),
    line('after', 'doomed', 'x'),
    line('too', 'doomed', 'x'),
    line('fine', 'fine', '"fine"'),
  ]);
  const running = start('batch', 'lost.jsonl', '-o', 'lost-results.jsonl', '-n', '2');
  const doomed = hourglass.session({ sessionId: 'doomed', language: 'python' });
  const status = await eventually(
    () => doomed.status().catch(() => undefined),
    (found) => found?.phase === 'busy' && found.calls === 1,
  );
  await place.removeContainer(status?.sandboxId ?? '');
  expect(await running.ended).toMatchObject({ exitCode: 1 });
  const found = readResults(place, 'lost-results.jsonl');
  for (const id of ['long', 'after', 'too'])
    expect(found[id]).toMatchObject({ failure: { code: 'SESSION_LOST', retryable: false } });
  expect(valueOf(found['fine'])).toBe('fine');
  expect(await openSessions()).toEqual([]);
});

test('after kill -9 the next start joins the call that runs, goes on in its state and closes the session', async () => {
  writeLines(place, 'killed.jsonl', [
    line('first', 'long', 'runs = 0'),
    line('slow', 'long', 'import time; runs += 1; time.sleep(8); runs', { timeout: 120_000 }),
    line('last', 'long', 'runs'),
  ]);
  const first = start('batch', 'killed.jsonl', '-o', 'killed-results.jsonl');
  const session = hourglass.session({ sessionId: 'long', language: 'python' });
  await eventually(
    () => session.status().catch(() => undefined),
    (found) => found?.phase === 'busy' && found.calls === 1,
  );
  first.kill('SIGKILL');
  await first.ended;
  const { stdout, exitCode } = await batch('killed.jsonl', '-o', 'killed-results.jsonl', '--json');
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { skipped: 1, results: 2, succeeded: 2 }]);
  const found = readResults(place, 'killed-results.jsonl');
  expect([valueOf(found['slow']), valueOf(found['last'])]).toEqual([1, 1]);
  expect(await openSessions()).toEqual([]);
});

test('after Ctrl-C the session stays for the next start, which runs the interrupted line again', async () => {
  writeLines(place, 'stopped.jsonl', [
    line('first', 'stopped', 'import os; x = 1'),
    line(
      'slow',
      'stopped',
      'import time; time.sleep(0 if os.path.exists("seen") else (open("seen", "w").close() or 100)); x',
      {
        timeout: 120_000,
      },
    ),
  ]);
  const first = start('batch', 'stopped.jsonl', '-o', 'stopped-results.jsonl');
  const session = hourglass.session({ sessionId: 'stopped', language: 'python' });
  await eventually(
    async () => (await session.status().catch(() => undefined))?.phase === 'busy' && (await seenBy(session)),
    Boolean,
  );
  first.kill('SIGINT');
  expect(await first.ended).toMatchObject({
    exitCode: 130,
    stderr: expect.stringContaining('sessions that stay open: stopped') as string,
  });
  const { stderr, exitCode } = await batch('stopped.jsonl', '-o', 'stopped-results.jsonl');
  expect(exitCode).toBe(0);
  expect(stderr).not.toContain('begun anew');
  expect(valueOf(readResults(place, 'stopped-results.jsonl')['slow'])).toBe(1);
});

/** The first line has its answer: the second one runs. */
async function seenBy(session: { status(): Promise<{ calls: number }> }): Promise<boolean> {
  return (await session.status()).calls === 1;
}

test('a session that is gone meanwhile begins anew, and that is said', async () => {
  writeLines(place, 'anew.jsonl', [line('first', 'anew', 'x = 1')]);
  expect(await batch('anew.jsonl', '-o', 'anew-results.jsonl')).toMatchObject({ exitCode: 0 });
  writeLines(place, 'anew.jsonl', [line('first', 'anew', 'x = 1'), line('next', 'anew', '"x" in globals()')]);
  const end = await batch('anew.jsonl', '-o', 'anew-results.jsonl');
  expect(end.stderr).toContain('session anew has begun anew: what its 1 lines answered before had left in it is gone');
  expect(valueOf(readResults(place, 'anew-results.jsonl')['next'])).toBe(false);
});

test('through the engine alone such lines are refused by name', async () => {
  writeLines(place, 'direct.jsonl', [line('session', 's', '1'), line('alone', undefined, '1')]);
  await batch('direct.jsonl', '-o', 'direct-results.jsonl', '--direct');
  const found = readResults(place, 'direct-results.jsonl');
  expect(found['session']).toMatchObject({ failure: { code: 'POLICY_DENIED', retryable: false } });
  expect(valueOf(found['alone'])).toBe(1);
});

describe('a client', () => {
  test('that runs a request with a session opens it, or goes on in it', async () => {
    const request = { language: 'python', sessionId: 'run', userId: 'ada' } as const;
    const first = await hourglass.run({ ...request, code: 'x = 20', resourceLimits: { memoryMb: 300 } });
    expect(first.metadata.session).toMatchObject({ sessionId: 'run', call: 1, state: 'kept' });
    expect(await hourglass.run({ ...request, code: 'x + 1' })).toMatchObject({
      result: 21,
      metadata: { session: { call: 2 } },
    });
    const other = hourglass.run({ ...request, code: 'x', resourceLimits: { memoryMb: 400 } });
    await expect(other).rejects.toMatchObject({ code: 'SESSION_MISMATCH' });
    await hourglass.session(request).close();
  });

  test('that asks again under one id joins the call: its program runs once', async () => {
    const options = { sessionId: 'once', language: 'python', userId: 'ada' } as const;
    await using session = hourglass.session(options);
    await session.run('n = 0');
    const ask = { code: 'import time; time.sleep(1); n += 1; n', executionId: 'once-1' };
    const again = hourglass.session(options);
    const results = await Promise.all([session.run(ask, { callId: 'once' }), again.run(ask, { callId: 'once' })]);
    expect(results.map(({ result }) => result)).toEqual([1, 1]);
    expect((await session.run('n')).result).toBe(1);
  });
});
