import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionRequest } from '../../src/contract';
import { DurableSetup } from '../support/durable';
import { eventually } from '../support/eventually';
import { SmallDisk } from '../support/small-disk';
import type { TestWorker } from '../support/test-worker';
import { startWorkerProcess } from '../support/worker-child';

/** The lease store alone takes its part of it. */
const MEGABYTES = 16;
const LONG_MS = 600_000;

let disk: SmallDisk;
let setup: DurableSetup;
let worker: TestWorker | undefined;

async function openWithSmallWorkspace(): Promise<void> {
  disk = new SmallDisk(MEGABYTES);
  setup = await DurableSetup.open({ HOURGLASS_WORKSPACE_DIR: join(disk.path, 'place') });
  worker = await setup.worker();
}

afterEach(async () => {
  disk.empty();
  await worker?.stop();
  worker = undefined;
  await setup.close();
  disk.remove();
});

/** Says which start this is, and gives it away in a file of half a MB. */
const CODE = `import secrets, time
token = secrets.token_hex(8)
print(token, flush=True)
time.sleep(2)
open("out.txt", "w").write(token * 32768)
result = token`;

const REQUEST: ExecutionRequest = {
  language: 'python',
  code: CODE,
  outputFiles: [{ sandboxPath: 'out.txt' }],
  timeout: 60_000,
};

const failuresOf = (code: string): (() => Record<string, unknown>[]) => {
  return () => (worker?.logged('Code execution failed') ?? []).filter((line) => line.code === code);
};

test('a workspace that is full when a program ends takes its files once there is room', async () => {
  await openWithSmallWorkspace();
  const handle = await setup.hourglass.start(REQUEST);
  const { tail } = await setup.heartbeat(handle.workflowId, (beat) => Boolean(beat.tail));
  disk.fill();
  await eventually(failuresOf('WORKSPACE_ERROR'), (lines) => lines.length > 0);
  disk.empty();
  const token = (tail ?? '').trim();
  const result = await handle.result();
  expect(result).toMatchObject({ success: true, result: token, stdout: `${token}\n` });
  const file = join(disk.path, 'place', 'default', 'default', 'files', 'out.txt');
  expect(readFileSync(file, 'utf8')).toBe(token.repeat(32_768));
});

// Its two dozen attempts take a while.
if (process.env['HOURGLASS_FAULTS'] === 'all') {
  test(
    'a workspace that stays full fails an execution by name, and what it holds is whole',
    async () => {
      await openWithSmallWorkspace();
      const handle = await setup.hourglass.start(REQUEST);
      await setup.heartbeat(handle.workflowId, (beat) => Boolean(beat.tail));
      disk.fill();
      await expect(handle.result()).rejects.toMatchObject({ code: 'WORKSPACE_ERROR' });
      await eventually(
        async () => [await setup.place.containers(), await setup.place.leases()],
        (left) => left.every((list) => list.length === 0),
      );
    },
    LONG_MS,
  );
}

/** A worker of a process of its own: what nobody hears of in it ends it. */
test('where the lease store cannot be written no program starts, and it does once there is room', async () => {
  disk = new SmallDisk(MEGABYTES);
  setup = await DurableSetup.open({ HOURGLASS_STATE_DIR: join(disk.path, 'place') });
  const worker = await startWorkerProcess(setup.place.settings);
  try {
    disk.fill();
    const handle = await setup.hourglass.start(REQUEST);
    const { tail } = await setup.heartbeat(handle.workflowId, ({ outages }) => (outages ?? 0) > 1);
    expect(tail).toBe('');
    disk.empty();
    const result = await handle.result();
    expect(result).toMatchObject({ success: true, stdout: `${result.result as string}\n` });
  } finally {
    worker.kill('SIGTERM');
  }
  expect(await worker.end()).toMatchObject({ code: 0 });
});
