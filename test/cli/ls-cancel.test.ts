import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Cancellation } from '../../src/cli/cancel/cancel-execution';
import type { Listing } from '../../src/cli/ls/collect';
import type { ExecutionRow } from '../../src/cli/executions/row';
import { freePort } from '../../src/cli/temporal/ports';
import { createHourglassClient, type HourglassClient } from '../../src/client';
import type { ExecutionRequest } from '../../src/contract';
import type { CommandEnd } from '../support/cli';
import { CliSetup } from '../support/cli-setup';
import { sleeper } from '../support/durable';
import { eventually } from '../support/eventually';
import type { WorkerPlace } from '../support/test-worker';

let setup: CliSetup;
let place: WorkerPlace;
let connection: Connection;
let hourglass: HourglassClient;

beforeAll(async () => {
  // Two slots and memory for one program: the second waits for memory, the third for a worker.
  setup = await CliSetup.open({
    MAX_CONCURRENT_EXECUTIONS: '2',
    HOURGLASS_MEMORY_BUDGET_MB: '300',
    HOURGLASS_UI_URL: 'http://ui.example',
  });
  ({ place } = setup);
  connection = await Connection.connect({ address: setup.address });
  const { taskQueue } = place.config.temporal;
  hourglass = await createHourglassClient({ connection, taskQueue, uiUrl: 'http://ui.example' });
  await setup.worker();
});

afterAll(async () => {
  await connection?.close();
  await setup?.close();
});

const command = (...argv: string[]): Promise<CommandEnd> => setup.command(...argv);

async function list(...argv: string[]): Promise<Listing & { workers: string[] }> {
  const { stdout, exitCode } = await command('ls', '--json', ...argv);
  expect(exitCode).toBe(0);
  return JSON.parse(stdout) as Listing & { workers: string[] };
}

async function row(workflowId: string, isThere: (row: ExecutionRow) => boolean): Promise<ExecutionRow> {
  const find = async (): Promise<ExecutionRow | undefined> =>
    (await list()).executions.find((found) => found.workflowId === workflowId);
  const found = await eventually(find, (candidate) => candidate !== undefined && isThere(candidate));
  if (found === undefined) throw new Error('no row');
  return found;
}

async function cancel(...argv: string[]): Promise<{ exitCode: number | null; ends: Cancellation[] }> {
  const { exitCode, stdout } = await command('cancel', '--json', ...argv);
  return { exitCode, ends: JSON.parse(stdout) as Cancellation[] };
}

const endless = (request: Partial<ExecutionRequest> = {}): ExecutionRequest => ({
  language: 'python',
  code: sleeper('begun'),
  timeout: 250_000,
  ...request,
});

test('what runs, what waits for memory and what waits for a worker are told apart; cancelling one lets the next run', async () => {
  const first = await hourglass.start(endless({ label: 'the first', workspaceId: 'acme', userId: 'ada' }));
  await row(first.workflowId, ({ detail }) => detail === 'running');
  const second = await hourglass.start(endless({ language: 'shell', code: 'sleep 250' }));
  await row(second.workflowId, ({ detail }) => detail === 'for memory');
  const third = await hourglass.start(endless());
  await row(third.workflowId, ({ detail }) => detail === 'for a worker');
  const { executions, total, workers } = await list('--state', 'running', 'waiting');
  expect(executions.map(({ workflowId, state, detail }) => [workflowId, state, detail])).toEqual([
    [first.workflowId, 'running', 'running'],
    [third.workflowId, 'waiting', 'for a worker'],
    [second.workflowId, 'waiting', 'for memory'],
  ]);
  expect(total).toEqual({ open: 3 });
  expect(workers).toHaveLength(1);
  const link = `http://ui.example/namespaces/default/workflows/${first.workflowId}/${first.runId}`;
  expect(executions[0]).toMatchObject({
    ...{ language: 'python', label: 'the first', tenant: { workspaceId: 'acme', userId: 'ada' }, attempt: 1 },
    url: link,
  });
  const [heading, line] = (await command('ls', '--state', 'running')).stdout.split('\n');
  expect(heading).toMatch(/^state .* id +link$/);
  expect(line?.split(/ {2,}/).slice(-2)).toEqual([first.workflowId, link]);
  const { executionId = '', sandboxId } = executions[0] ?? {};
  expect(await place.containers()).toEqual([sandboxId]);
  const short = await list('--state', 'running', '--limit', '1');
  expect(short.executions.map(({ workflowId }) => workflowId)).toEqual([first.workflowId]);
  expect(short.unlisted).toEqual([]);

  expect(await cancel(executionId, second.workflowId, third.workflowId, third.workflowId, 'nobody')).toMatchObject({
    exitCode: 1,
    ends: [
      { id: executionId, workflowId: first.workflowId, status: 'cancelled' },
      { id: second.workflowId, status: 'cancelled' },
      { id: third.workflowId, status: 'cancelled' },
      { id: 'nobody', status: 'not-found' },
    ],
  });
  // A boot that was under way for one of them is given up by the pool in its own time.
  await eventually(
    () => place.containers(),
    (left) => left.length === 0,
  );
  expect(await cancel(first.workflowId)).toMatchObject({
    exitCode: 0,
    ends: [{ status: 'already-ended', outcome: 'cancelled' }],
  });
});

test('how executions ended is read from their results and failures', async () => {
  const outcomes: [ExecutionRequest, string][] = [
    [{ language: 'shell', code: ':' }, 'succeeded'],
    [{ language: 'javascript', code: 'process.exit(3)' }, 'RUNTIME_ERROR'],
    [{ language: 'shell', code: ':', timeout: 290_000, resourceLimits: { memoryMb: 4_097 } }, 'POLICY_DENIED'],
  ];
  for (const [request, outcome] of outcomes) {
    const handle = await hourglass.start(request);
    await handle.result().catch(() => undefined);
    expect(await row(handle.workflowId, ({ state }) => state === 'ended')).toMatchObject({
      detail: outcome,
      language: request.language,
    });
  }
  const { executions, total } = await list('--state', 'ended', '--limit', '2');
  expect(executions.map(({ detail }) => detail)).toEqual(['POLICY_DENIED', 'RUNTIME_ERROR']);
  expect(executions[1]).toMatchObject({ exitCode: 3, attempt: 1 });
  expect(total.ended).toBeGreaterThanOrEqual(3);
  expect((await list('--state', 'ended', '--since', '1ms')).executions).toEqual([]);
});

test('what runs on this host without Temporal is listed apart, until it has ended', async () => {
  const id = 'direct-1';
  const request = { language: 'shell', code: 'sleep 100', executionId: id, userId: 'ada', timeout: 120_000 };
  writeFileSync(join(place.dir, 'direct.jsonl'), JSON.stringify({ id, request }));
  const batch = setup.start(['batch', 'direct.jsonl', '-o', 'direct-results.jsonl', '--direct']);
  const { unlisted } = await eventually(list, (listing) => listing.unlisted[0]?.phase === 'started');
  expect(unlisted).toMatchObject([{ executionId: id, tenant: { workspaceId: 'default', userId: 'ada' } }]);
  expect(await place.containers()).toEqual(unlisted.map(({ sandboxId }) => sandboxId));
  expect((await command('ls')).stdout).toMatch(/without a workflow[^]*started .* default\/ada +direct-1 +hourglass-/);
  batch.kill('SIGINT');
  await batch.ended;
  expect((await list()).unlisted).toEqual([]);
});

test('ids, labels and memos of others are shown and never obeyed', async () => {
  const client = new Client({ connection });
  const workflowId = 'evil \u001b[2J\u001b]0;owned\u0007\nrunning  \u202egpj.exe\u009b31m';
  const taskQueue = 'nobody-polls-here';
  const memo = {
    hourglass: {
      v: 1,
      executionId: 'e',
      workspaceId: 'w',
      userId: 'u',
      language: 'py\u001b[31m',
      label: 'l\r\nx\u001b[0m',
    },
  };
  const handle = await client.workflow.start('executeCode', { workflowId, taskQueue, args: [], memo });
  await client.workflow.start('executeCode', { workflowId: 'odd-memo', taskQueue, args: [], memo: { hourglass: 7 } });
  await row(workflowId, ({ state }) => state === 'waiting');
  const { stdout } = await command('ls', '--state', 'waiting');
  expect(stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  const [line = '', ...more] = stdout.split('\n').filter((text) => text.includes('evil'));
  expect(more).toEqual([]);
  expect(line).toContain('evil \\u001b[2J\\u001b]0;owned\\u0007\\nrunning  \\u202egpj.exe\\u009b31m');
  expect(line).toContain('py\\u001b[31m · l\\r\\nx\\u001b[0m');
  const end = await command('cancel', workflowId, '--no-wait');
  expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  expect(end.stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  await handle.terminate();
  await client.workflow.getHandle('odd-memo').terminate();
});

test('a cancellation that nobody takes up is told after the time for it, and what is no execution is left alone', async () => {
  const client = new Client({ connection });
  const other = await client.workflow.start('payroll', { workflowId: 'payroll-1', taskQueue: 'elsewhere', args: [] });
  const idle = await client.workflow.start('executeCode', { workflowId: 'idle', taskQueue: 'elsewhere', args: [] });
  expect(await cancel('idle', '--timeout', '200ms')).toMatchObject({ exitCode: 75, ends: [{ status: 'not-ended' }] });
  expect(await cancel('idle', 'payroll-1', '--no-wait')).toMatchObject({
    exitCode: 1,
    ends: [{ status: 'requested' }, { status: 'not-ours' }],
  });
  expect((await other.fetchHistory()).events?.map(({ eventType }) => Number(eventType))).toEqual([1, 5]);
  await Promise.all([other.terminate(), idle.terminate()]);
  expect(await cancel('idle')).toMatchObject({ exitCode: 0, ends: [{ outcome: 'terminated' }] });
});

test.each([['ls'], ['cancel', 'x']])('without a server %s says so, starts none and exits with 69', async (...argv) => {
  const address = `127.0.0.1:${await freePort()}`;
  const end = await setup.start([...argv, '--json'], { settings: { TEMPORAL_ADDRESS: address } }).ended;
  expect(end.exitCode).toBe(69);
  expect(JSON.parse(end.stdout)).toMatchObject({ failure: { code: 'UNAVAILABLE' } });
  expect(end.stderr).toContain(address);
});
