import { readFileSync } from 'node:fs';
import { BOUNDS, type ExecutionRequest, type ExecutionResult } from '../../src/contract';
import { DurableSetup } from '../support/durable';
import type { TestWorker } from '../support/test-worker';

let setup: DurableSetup;
let worker: TestWorker;

beforeAll(async () => {
  setup = await DurableSetup.open();
  worker = await setup.worker();
});

afterAll(async () => {
  await worker.stop();
  await setup.close();
});

const run = (code: string, request: Partial<ExecutionRequest> = {}): Promise<ExecutionResult> =>
  setup.hourglass.run({ language: 'python', code, ...request });

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

test('R43: a result that exceeds the payload bound comes as a file, with a preview', async () => {
  const result = await run('result = list(range(100_000))', { executionId: 'large-1' });
  expect(result).toMatchObject({ success: true, result: null });
  expect(result.resultFile).toMatchObject({ workspacePath: 'results/large-1.json', mediaType: 'application/json' });
  expect(result.resultFile?.preview).toMatch(/^\[0, ?1, ?2/);
  const stored: unknown = JSON.parse(readFileSync(setup.place.file('results/large-1.json'), 'utf8'));
  expect(stored).toHaveLength(100_000);
});

test.each([
  [
    'NUL bytes',
    'import sys\nsys.stdout.write("\\0" * 300_000)\nsys.stderr.write("\\1" * 300_000)\nresult = "x" * 50_000',
  ],
  ['text', 'import sys\nprint("x" * 300_000)\nprint("y" * 300_000, file=sys.stderr)\nresult = "z" * 240_000'],
  ['a long traceback', 'import sys\nprint("x" * 300_000)\nraise ValueError("\\0" * 1_000_000)'],
])('R43: a result with %s in every part stays within the bound of a payload', async (_, code) => {
  const result = await run(code);
  expect(bytesOf(result)).toBeLessThanOrEqual(BOUNDS.payloadBytes);
  expect(result.warnings.length).toBeGreaterThan(0);
});

test('R43: history holds no more of a flood than the bounds say, and the worker goes on', async () => {
  const handle = await setup.hourglass.start({
    language: 'python',
    code: 'import sys\nfor _ in range(50):\n  sys.stdout.write("flood " * 200_000)',
  });
  const result = await handle.result();
  expect(result).toMatchObject({ success: true, metadata: { stdoutBytes: 60_000_000 } });
  const { events } = await setup.client.workflow.getHandle(handle.workflowId).fetchHistory();
  expect(bytesOf(events)).toBeLessThan(4 * BOUNDS.payloadBytes);
  expect(await run('result = 1')).toMatchObject({ result: 1 });
});

test('figures and files are saved together', async () => {
  const result = await run('import matplotlib.pyplot as plt\nplt.plot([1, 2])\nopen("a.txt", "w").write("a")', {
    outputFiles: [{ sandboxPath: '*.txt', workspacePath: 'out/' }],
  });
  expect(result.savedFiles.map((file) => file.workspacePath).sort()).toEqual(['figure-1.png', 'out/a.txt']);
  expect(readFileSync(setup.place.file('figure-1.png')).subarray(1, 4).toString()).toBe('PNG');
});

test('an output file that cannot be saved is an OUTPUT_FILE_ERROR where the program succeeded', async () => {
  const result = await run('import os\nos.symlink("/etc/passwd", "link.txt")\nopen("good.txt", "w").write("good")', {
    outputFiles: [{ sandboxPath: 'link.txt' }, { sandboxPath: 'good.txt' }],
  });
  expect(result).toMatchObject({ success: false, error: { code: 'OUTPUT_FILE_ERROR' }, metadata: { exitCode: 0 } });
  expect(result.error?.message).toContain('link.txt');
  expect(result.savedFiles.map((file) => file.workspacePath)).toEqual(['good.txt']);
});
