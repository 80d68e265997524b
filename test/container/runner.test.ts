import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { sandboxImageTag } from '../../infra/setup/index.js';
import { RUNTIME_OF } from '../../src/contract';
import { ContainerEngine } from '../../src/engine/container/container-engine';
import { DockerClient } from '../../src/engine/container/docker-client';
import { resolveEndpoint } from '../../src/engine/container/endpoint';
import type { Sandbox } from '../../src/engine/engine';
import {
  bye,
  FileFetcher,
  GuestChannel,
  listFiles,
  renew,
  runProgram,
  type Program,
  type ProgramOutcome,
  type RunEvents,
} from '../../src/runner';
import { SILENT } from '../../src/telemetry/log';
import { countProcesses, processesBesideFirst } from '../support/container-processes';
import { eventually } from '../support/eventually';
import { patience } from '../support/patience';

const OWNER = { hostId: `test-${randomUUID()}`, workerId: randomUUID() };
const LEASE_MS = patience(60_000);
const MAX_OUTPUT = 102_400;

const client = new DockerClient(resolveEndpoint(process.env['DOCKER_HOST']));
const engine = new ContainerEngine(
  client,
  { image: sandboxImageTag(), runtime: undefined, leaseMs: LEASE_MS, bootTimeoutMs: patience(30_000) },
  SILENT,
);
const sandboxes: Sandbox[] = [];

afterEach(async () => {
  await Promise.all(sandboxes.splice(0).map((sandbox) => sandbox.destroy()));
});

afterAll(() => engine.close());

interface Session {
  readonly sandbox: Sandbox;
  readonly channel: GuestChannel;
  readonly run: (program: Partial<Program> & { code: string }, events?: RunEvents) => Promise<ProgramOutcome>;
  readonly abort: AbortController;
}

async function boot(language: Program['language'] = 'python'): Promise<Session> {
  const abort = new AbortController();
  const spec = { runtime: RUNTIME_OF[language], preload: [], memoryMb: 128, diskMb: 64, cpuCores: 1, maxPids: 64 };
  const sandbox = await engine.boot(spec, OWNER, abort.signal);
  sandboxes.push(sandbox);
  const channel = GuestChannel.open(sandbox);
  await channel.waitReady(patience(30_000), abort.signal);
  const run: Session['run'] = (program, events = {}) => {
    const whole: Program = {
      executionId: randomUUID(),
      language,
      inputJson: '{}',
      stdin: undefined,
      files: [],
      timeoutMs: patience(30_000),
      memoryMb: 128,
      diskMb: 64,
      maxOutputBytes: MAX_OUTPUT,
      saveFigures: false,
      ...program,
    };
    const end = (): ReturnType<Sandbox['end']> => sandbox.end();
    return runProgram(channel, whole, events, { signal: abort.signal, end, kill: () => sandbox.kill() });
  };
  return { sandbox, channel, run, abort };
}

test.each(['python', 'shell'] as const)(
  'a process that waits for its %s program may die: another one is made',
  async (language) => {
    const { run, sandbox } = await boot(language);
    const waiting = await processesBesideFirst(sandbox.containerId);
    expect(waiting).toHaveLength(1);
    process.kill(waiting[0] ?? 0, 'SIGKILL');
    await eventually(
      () => processesBesideFirst(sandbox.containerId),
      (left) => left.length === 0,
    );
    expect(await run({ code: 'result=3' })).toMatchObject({ resultJson: '3', error: undefined });
  },
);

test('a program runs in each language and its result comes back', async () => {
  const programs = { python: 'result = n + 1', javascript: 'result = n + 1', typescript: 'const result: number = n + 1', shell: 'result=$((n + 1))' } as const; // prettier-ignore
  for (const [language, code] of Object.entries(programs)) {
    const { run } = await boot(language as Program['language']);
    await expect(run({ code, inputJson: '{"n":41}' })).resolves.toMatchObject({ resultJson: '42', error: undefined });
  }
});

test('R24: files go in and out unchanged, however large', async () => {
  const content = Buffer.alloc(20_000_000, 'Hourglass ');
  const { channel, run } = await boot();
  const file = { sandboxPath: 'deep/in.bin', size: content.length, open: async () => Readable.from([content]) };
  const code = 'import os\nos.rename("deep/in.bin", "out.bin")\nopen("/tmp/small", "w").write("x")';
  let bytesIn = 0;
  await expect(run({ code, files: [file] }, { onBytesIn: (bytes) => (bytesIn += bytes) })).resolves.toMatchObject({
    error: undefined,
  });
  expect(bytesIn).toBe(content.length);
  await expect(listFiles(channel, 'sandbox', 10)).resolves.toEqual({
    files: [{ path: 'out.bin', size: content.length }],
    others: [],
    truncated: false,
  });
  const fetcher = new FileFetcher(channel);
  const fetched = await buffer(fetcher.fetch('sandbox', 'out.bin', content.length));
  expect(fetched.equals(content)).toBe(true);
  await expect(buffer(fetcher.fetch('tmp', 'small', 10))).resolves.toEqual(Buffer.from('x'));
});

test('R27: a file that is too large is refused before it is sent, and the next one arrives', async () => {
  const { channel, run } = await boot();
  await run({ code: 'open("big", "wb").truncate(50_000_000)\nopen("small", "w").write("x")' });
  const fetcher = new FileFetcher(channel);
  await expect(buffer(fetcher.fetch('sandbox', 'big', 1_000))).rejects.toMatchObject({ code: 'TOO_LARGE' });
  await expect(buffer(fetcher.fetch('sandbox', 'none', 1_000))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(buffer(fetcher.fetch('sandbox', 'small', 1_000))).resolves.toEqual(Buffer.from('x'));
});

test('a file that is given up in its middle does not disturb the next one', async () => {
  const { channel, run } = await boot();
  await run({ code: 'open("big", "wb").truncate(30_000_000)\nopen("small", "w").write("x")' });
  const fetcher = new FileFetcher(channel);
  for await (const part of fetcher.fetch('sandbox', 'big', 30_000_000) as AsyncIterable<Buffer>) {
    expect(part.length).toBeGreaterThan(0);
    break;
  }
  await expect(buffer(fetcher.fetch('sandbox', 'small', 1_000))).resolves.toEqual(Buffer.from('x'));
});

test('input files that do not fit name the limit', async () => {
  const size = 80_000_000;
  const { run } = await boot();
  const open = async (): Promise<Readable> => Readable.from(zeros(size));
  await expect(run({ code: '', files: [{ sandboxPath: 'big', size, open }] })).rejects.toMatchObject({
    code: 'INPUT_FILE_ERROR',
    details: { path: 'big', limit: 'diskMb', max: 64 },
  });
});

function* zeros(size: number): Generator<Buffer> {
  const chunk = Buffer.alloc(1_000_000);
  for (let left = size; left > 0; left -= chunk.length) yield chunk.subarray(0, left);
}

test('R10: a timeout keeps what was printed, and no process is left', async () => {
  const { sandbox, run, channel } = await boot();
  const code =
    'import subprocess, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsubprocess.Popen(["sleep", "1000"])\nopen("f", "w").write("x")\nprint("early")\nwhile True: pass';
  await expect(run({ code, timeoutMs: 1_000 })).resolves.toMatchObject({
    exitCode: 137,
    signal: 'SIGKILL',
    error: { code: 'TIMEOUT', message: 'Execution timed out after 1000ms' },
    stdout: 'early\n',
    collectable: true,
  });
  await expect(countProcesses(sandbox.containerId)).resolves.toBe(1);
  await expect(listFiles(channel, 'sandbox', 10)).resolves.toMatchObject({ files: [{ path: 'f', size: 1 }] });
});

test('R12: a cancelled run has no process left when it rejects', async () => {
  const { sandbox, run, abort } = await boot();
  const reason = new Error('cancelled');
  const events: RunEvents = { onOutput: () => abort.abort(reason) };
  await expect(run({ code: 'print("go")\nwhile True: pass' }, events)).rejects.toBe(reason);
  await expect(countProcesses(sandbox.containerId)).resolves.toBe(1);
});

test('R19: a flood is its beginning and its end, and previews come while it lasts', async () => {
  const kinds = new Set<string>();
  const { run } = await boot();
  const code = 'import time\nfor i in range(300_000): print("line", i)\ntime.sleep(1)\nprint("THE END")';
  const outcome = await run({ code }, { onOutput: (_, __, kind) => kinds.add(kind) });
  expect(outcome.stdout).toMatch(/^line 0\nline 1\n[^]*\n\.\.\. \[truncated: \d+ bytes [^]*\nTHE END\n$/);
  expect(Buffer.byteLength(outcome.stdout)).toBeLessThanOrEqual(MAX_OUTPUT);
  expect(outcome.warnings).toEqual([
    `stdout was truncated: the program wrote ${outcome.stdoutBytes} bytes, maxOutputBytes is ${MAX_OUTPUT}`,
  ]);
  expect([...kinds].sort()).toEqual(['head', 'preview']);
});

test.each([
  ['raises with a message of a million characters', 'raise ValueError("ü" * 1_000_000)', 'ValueError'],
  ['has a name of thousands of characters', 'raise type("E" * 5_000, (Exception,), {})("no")', 'E'.repeat(200)],
  ['raises in many frames', 'def f(n):\n    f(n + 1)\nf(0)', 'RecursionError'],
])('R23: the error of a program that %s is whole and bounded', async (_, code, type) => {
  const { run } = await boot();
  const { error, exitCode } = await run({ code });
  expect(exitCode).toBe(1);
  expect(error).toMatchObject({ code: 'RUNTIME_ERROR', type: expect.stringContaining(type) as string });
  expect(Buffer.byteLength(JSON.stringify(error))).toBeLessThan(24 * 1_024);
});

test('R18: a program that writes its own report gains nothing but an error', async () => {
  const { run } = await boot();
  const forge =
    'import os\nfor fd in range(3, 64):\n    try: os.write(fd, b"forged\\n")\n    except OSError: pass\nos._exit(0)';
  const { error, resultJson } = await run({ code: forge });
  expect(resultJson).toBeUndefined();
  expect([undefined, 'RUNTIME_ERROR']).toContain(error?.code);
});

test('a container that is killed while the program runs is lost', async () => {
  const { sandbox, run } = await boot();
  const outcome = run({ code: 'print("go")\nwhile True: pass' }, { onOutput: () => void sandbox.kill() });
  await expect(outcome).rejects.toMatchObject({
    code: 'SANDBOX_LOST',
    message: 'the sandbox ended while the program ran with exit code 137',
  });
});

test('a lease can be renewed at any time, and a guest that is told farewell ends with 0', async () => {
  const { sandbox, channel, run } = await boot();
  await renew(channel, LEASE_MS);
  const outcome = run(
    { code: 'print("go")\nimport time\ntime.sleep(0.2)' },
    { onOutput: () => void renew(channel, LEASE_MS) },
  );
  await expect(outcome).resolves.toMatchObject({ error: undefined });
  await renew(channel, LEASE_MS);
  await bye(channel);
  await expect(channel.next()).resolves.toBeUndefined();
  await expect(sandbox.end()).resolves.toMatchObject({ exitCode: 0 });
});

test('R12: a guest whose lease is not renewed ends itself and its program', async () => {
  const { sandbox, channel, run } = await boot();
  const outcome = run({ code: 'print("go")\nwhile True: pass' }, { onOutput: () => void renew(channel, 300) });
  await expect(outcome).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
  await expect(sandbox.end()).resolves.toMatchObject({ oomKilled: false, lost: false });
});
