import { readFileSync } from 'node:fs';
import { executionResultSchema, heartbeatSchema, HourglassError, type ExecutionRequest } from '../../src/contract';
import { DurableSetup, sleeper } from '../support/durable';
import type { TestWorker } from '../support/test-worker';

let setup: DurableSetup;
let worker: TestWorker;

beforeAll(async () => {
  setup = await DurableSetup.open({ MAX_CONCURRENT_EXECUTIONS: '2' });
  worker = await setup.worker();
});

afterAll(async () => {
  await worker.stop();
  expect(await setup.place.containers()).toEqual([]);
  expect(await setup.place.leases()).toEqual([]);
  await setup.close();
});

const python = (code: string, request: Partial<ExecutionRequest> = {}): ExecutionRequest => ({
  language: 'python',
  code,
  ...request,
});

async function failureOf(request: ExecutionRequest): Promise<HourglassError> {
  const error: unknown = await setup.hourglass.run(request).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof HourglassError) return error;
  throw new Error(`expected a HourglassError, got ${String(error)}`);
}

test('a program gets its inputs and files, and its result and files come back', async () => {
  setup.place.write('data/sales.csv', 'region,amount\nnorth,1\nsouth,41\n');
  const result = await setup.hourglass.run(
    python(
      [
        'import csv, json',
        'rows = list(csv.DictReader(open("sales.csv")))',
        'result = {"total": sum(int(row["amount"]) for row in rows) * factor}',
        'print("done")',
        'json.dump(result, open("total.json", "w"))',
      ].join('\n'),
      {
        inputData: { factor: 2 },
        inputFiles: [{ path: 'data/sales.csv', sandboxPath: 'sales.csv' }],
        outputFiles: [{ sandboxPath: 'total.json', workspacePath: 'reports/total.json' }, { sandboxPath: '*.xml' }],
        executionId: 'sales-1',
      },
    ),
  );
  expect(executionResultSchema.parse(result)).toEqual(result);
  expect(result).toMatchObject({ success: true, result: { total: 84 }, stdout: 'done\n', stderr: '' });
  expect(result.savedFiles).toEqual([
    {
      workspacePath: 'reports/total.json',
      sandboxPath: 'total.json',
      size: 13,
      sha256: expect.any(String) as string,
      mediaType: 'application/json',
    },
  ]);
  expect(result.warnings).toEqual([expect.stringContaining('*.xml') as string]);
  expect(readFileSync(setup.place.file('reports/total.json'), 'utf8')).toBe('{"total": 84}');
  expect(result.metadata).toMatchObject({ executionId: 'sales-1', exitCode: 0, attempt: 1, engine: 'container' });
});

test('a program that fails is a result, and its files are saved', async () => {
  const result = await setup.hourglass.run(
    python('open("partial.txt", "w").write("so far")\nraise ValueError("no")', {
      outputFiles: [{ sandboxPath: 'partial.txt' }],
    }),
  );
  expect(result).toMatchObject({ success: false, error: { code: 'RUNTIME_ERROR', type: 'ValueError' } });
  expect(result.savedFiles.map((file) => file.workspacePath)).toEqual(['partial.txt']);
});

test('a program from the workspace runs without being in history', async () => {
  setup.place.write('programs/answer.py', 'result = 42');
  const { result } = await setup.hourglass.run({ language: 'python', codeFile: 'programs/answer.py' });
  expect(result).toBe(42);
});

test.each([
  ['missing.py', undefined, 'missing.py'],
  ['broken.py', Buffer.from([0x72, 0xff, 0xfe]), 'is not UTF-8 text'],
  ['huge.py', Buffer.alloc(5 * 1024 * 1024, ' '), 'a program may have'],
])('a program file that cannot be used (%s) is an INPUT_FILE_ERROR', async (path, content, message) => {
  if (content !== undefined) setup.place.write(path, content);
  const error = await failureOf({ language: 'python', codeFile: path });
  expect(error).toMatchObject({ code: 'INPUT_FILE_ERROR', message: expect.stringContaining(message) as string });
});

test('a request that is not valid is refused before it is sent, and by the worker where it was sent', async () => {
  const bad = { language: 'cobol', code: 'x' } as unknown as ExecutionRequest;
  expect(await failureOf(bad)).toMatchObject({ code: 'VALIDATION_ERROR' });
  const workflowId = 'raw-invalid';
  for (const [index, args] of [[bad], [null], ['text'], [{ timeout: '5 mintes' }]].entries()) {
    await setup.client.workflow.start('executeCode', {
      workflowId: `${workflowId}-${index}`,
      taskQueue: setup.place.config.temporal.taskQueue,
      args,
    });
    await expect(setup.hourglass.result(`${workflowId}-${index}`)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: {
        issues: expect.arrayContaining([{ path: 'language', message: expect.any(String) as string }]) as unknown,
      },
    });
  }
});

test('what exceeds the policy is refused with limit and value, once', async () => {
  const error = await failureOf(python('1', { timeout: 400_000 }));
  expect(error).toMatchObject({
    code: 'POLICY_DENIED',
    details: { limit: 'timeout', asked: 400_000, max: 300_000 },
    message: expect.stringContaining('timeout is 400000 ms') as string,
  });
});

test('more processors than the engine has are refused', async () => {
  setup.place.write('x', '');
  const error = await failureOf(python('1', { resourceLimits: { cpuCores: 4 } }));
  expect(error.details).toMatchObject({ limit: 'cpuCores', asked: 4 });
});

test('a heartbeat shows phase, sandbox and the end of stdout while the program runs, and live output arrives', async () => {
  const handle = await setup.hourglass.start(python(sleeper('here I am'), { executionId: 'live-1' }));
  const heartbeat = await setup.heartbeat(handle.workflowId, ({ tail }) => tail === 'here I am\n');
  expect(heartbeatSchema.parse(heartbeat)).toEqual(heartbeat);
  expect(heartbeat).toMatchObject({ phase: 'running', executionId: 'live-1', stdoutBytes: 10 });
  expect(heartbeat.sandboxId).toMatch(/^hourglass-/);
  expect(worker.output.some((output) => output.executionId === 'live-1' && output.stream === 'stdout')).toBe(true);
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow('was cancelled');
});

test('an execution that never was is reported as such, and cancelling one that has ended changes nothing', async () => {
  const missing = { name: 'ExecutionNotFound', workflowId: 'never-was' };
  await expect(setup.hourglass.result('never-was')).rejects.toMatchObject(missing);
  await expect(setup.hourglass.cancel('never-was')).rejects.toMatchObject(missing);
  const handle = await setup.hourglass.start(python('result = 1'));
  await handle.result();
  await handle.cancel();
  await setup.hourglass.cancel(handle.workflowId);
  expect((await setup.hourglass.result(handle.workflowId)).result).toBe(1);
});

test('R43: a request can keep its output out of heartbeats', async () => {
  const handle = await setup.hourglass.start(python(sleeper('secret text'), { heartbeatOutput: false }));
  const heartbeat = await setup.heartbeat(handle.workflowId, ({ stdoutBytes }) => stdoutBytes > 0);
  expect(heartbeat).not.toHaveProperty('tail');
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow('was cancelled');
});

test('R13: what waits for a slot is reported as queue time and not as the timeout of the program', async () => {
  const naps = Array.from({ length: 3 }, () =>
    setup.hourglass.run(python('import time\ntime.sleep(2)', { timeout: 3_000 })),
  );
  const results = await Promise.all(naps);
  expect(results.map((result) => result.error)).toEqual([undefined, undefined, undefined]);
  const waits = results.map(({ metadata }) => metadata.queueTimeMs).sort((a, b) => a - b);
  expect(waits[2]).toBeGreaterThan(1_500);
});

test('R41: the summary of the activity says language, label and files, and the log has the events without code or output', async () => {
  const handle = await setup.hourglass.start(
    python('print("OUTPUT-CANARY")  # CODE-CANARY', { label: 'build report', outputFiles: [{ sandboxPath: 'x' }] }),
  );
  await handle.result();
  const { events } = await setup.client.workflow.getHandle(handle.workflowId).fetchHistory();
  const scheduled = events?.find((event) => event.activityTaskScheduledEventAttributes);
  expect(Buffer.from(scheduled?.userMetadata?.summary?.data ?? []).toString()).toBe('"python · build report · 1 file"');
  const metadata: unknown = await setup.client.workflow
    .getHandle(handle.workflowId)
    .query('__temporal_workflow_metadata');
  expect(metadata).toMatchObject({ currentDetails: expect.stringContaining('| outcome | succeeded |') as string });
  for (const message of ['Creating sandbox container', 'Container created', 'Container execution completed']) {
    expect(worker.logged(message)).not.toEqual([]);
  }
  expect(JSON.stringify(worker.log)).not.toMatch(/CANARY/);
});

test('a client that was given the id of an execution finds its result and its link', async () => {
  const handle = await setup.hourglass.start(python('result = "later"', { executionId: 'again-1' }));
  expect(handle.workflowId).toBe('execution-again-1');
  expect(handle.url).toContain('/namespaces/default/workflows/execution-again-1/');
  expect(await setup.hourglass.result('execution-again-1')).toMatchObject({ result: 'later' });
});
