import { executionResultSchema, type ExecutionRequest, type ExecutionResult } from '../../src/contract';
import type { ResultLine, ReturnedFile } from '../../src/cli/batch/results-file';
import { afterEachAttack } from '../support/after-attack';
import { readResults, returnedFile, writeLines } from '../support/batch';
import { buildCli, startCommand, type CommandEnd } from '../support/cli';
import { differences } from '../support/expectation';
import { startTemporal, type TestServer } from '../support/temporal';
import { WorkerPlace } from '../support/test-worker';
import { ATTACKS, ON_THE_WORKER, type Attack } from './attacks';
import { ON_THE_RESULTS, PROTOTYPES, REFUSED } from './batch-attacks';

let server: TestServer;
let place: WorkerPlace;

beforeAll(async () => {
  buildCli();
  server = await startTemporal();
  // With warm sandboxes, as an operator has them.
  place = new WorkerPlace(server.address, { HOURGLASS_WARM_PER_KEY: '1' });
});

afterAll(async () => {
  await server?.stop();
  place?.remove();
});

let batches = 0;

/** What a batch of these lines said, and its result lines. */
async function batch(
  lines: readonly (object | string)[],
  flags: readonly string[],
  signal?: AbortSignal,
): Promise<{ end: CommandEnd; found: Record<string, ResultLine> }> {
  const name = `batch-${(batches += 1)}`;
  writeLines(place, `${name}.jsonl`, lines);
  const sized = ['-n', '2', '--inline-files', '1k', '--json', ...flags];
  const command = startCommand(place, ['batch', `${name}.jsonl`, '-o', `${name}-results.jsonl`, ...sized]);
  signal?.addEventListener('abort', () => command.kill('SIGKILL'));
  const end = await command.ended;
  return { end, found: readResults(place, `${name}-results.jsonl`) };
}

/** The next program after a batch, by the command that was attacked. */
async function runAlone(request: ExecutionRequest, signal: AbortSignal): Promise<ExecutionResult> {
  const { found, end } = await batch([{ id: 'next', request }], ['--direct'], signal);
  return resultOf(found['next'], end.stderr);
}

afterEachAttack({ run: runAlone, left: () => place.containers() });

const SERVED: Attack = { title: 'served', language: 'shell', code: 'echo served', expect: { stdout: 'served\n' } };

const lineOf = ({ title, language, code, request }: Attack): object => ({
  id: title,
  request: { ...request, language, code },
});

function resultOf(line: ResultLine | undefined, context = ''): ExecutionResult {
  if (line === undefined || !('result' in line)) throw new Error(`no result: ${JSON.stringify(line)} ${context}`);
  executionResultSchema.parse(line.result);
  return line.result;
}

/** In what a line differs from what is expected. Its files have places of the batch's own, and their names. */
function faultsOf({ title, expect: expected }: Attack, line: ResultLine | undefined): string[] {
  const result = resultOf(line, title);
  const savedFiles = result.savedFiles.map((file) => ({ ...file, workspacePath: file.sandboxPath ?? '' }));
  return differences({ ...result, savedFiles }, expected).map((difference) => `${title}: ${difference}`);
}

test.each<[way: string, flags: readonly string[], attacks: readonly Attack[]]>([
  ['through the engine alone', ['--direct'], ATTACKS],
  ['through Temporal', [], ON_THE_WORKER],
])('R45: a batch %s answers each attack among its lines, and serves the line after them', async (_, flags, some) => {
  const attacks = [...some, ...ON_THE_RESULTS, SERVED];
  const { end, found } = await batch([...REFUSED.values(), ...attacks.map(lineOf)], flags);
  expect(attacks.flatMap((attack) => faultsOf(attack, found[attack.title]))).toEqual([]);
  for (const id of REFUSED.keys())
    expect([id, found[id]]).toMatchObject([id, { failure: { code: 'VALIDATION_ERROR', retryable: false } }]);
  // As many lines were written as there are ids: no line has two, and none was forged.
  expect(Object.keys(found).sort()).toEqual([...REFUSED.keys(), ...attacks.map(({ title }) => title)].sort());
  expect(JSON.parse(end.stdout)).toMatchObject({ results: attacks.length, failures: REFUSED.size });
  expect(end.exitCode).toBe(1);
  expect(end.stdout + end.stderr).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  const { files = {} } = found[PROTOTYPES.title] as { files?: Record<string, ReturnedFile> };
  const x = returnedFile(Buffer.from('x'));
  expect(Object.entries(files)).toEqual([
    ['__proto__', x],
    ['constructor', x],
  ]);
  expect(await place.files()).toEqual([]);
});
