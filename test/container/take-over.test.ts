import { randomUUID } from 'node:crypto';
import { sandboxImageTag } from '../../infra/setup/index.js';
import { ContainerEngine } from '../../src/engine/container/container-engine';
import { DockerClient } from '../../src/engine/container/docker-client';
import { resolveEndpoint } from '../../src/engine/container/endpoint';
import type { Sandbox } from '../../src/engine/engine';
import {
  FileFetcher,
  GuestChannel,
  LeaveRunning,
  resumeProgram,
  runProgram,
  type GuestState,
  type Program,
} from '../../src/runner';
import { encodeHeader } from '../../src/runner/frames';
import { SILENT } from '../../src/telemetry/log';
import { eventually } from '../support/eventually';
import { patience } from '../support/patience';

const OWNER = { hostId: `test-${randomUUID()}`, workerId: randomUUID() };
const SPEC = { runtime: 'python', preload: [], memoryMb: 128, diskMb: 64, cpuCores: 1, maxPids: 64 } as const;
const ANSWER_MS = patience(10_000);
const never = new AbortController().signal;

const engine = new ContainerEngine(
  new DockerClient(resolveEndpoint(process.env['DOCKER_HOST'])),
  { image: sandboxImageTag(), runtime: undefined, leaseMs: patience(60_000), bootTimeoutMs: patience(30_000) },
  SILENT,
);
const sandboxes: Sandbox[] = [];

afterEach(async () => {
  await Promise.all(sandboxes.splice(0).map((sandbox) => sandbox.destroy()));
});

afterAll(() => engine.close());

function programOf(code: string): Program {
  return {
    ...{ executionId: 'taken-over', language: 'python', code, inputJson: '{}', stdin: undefined, files: [] },
    ...{ timeoutMs: patience(30_000), memoryMb: 128, diskMb: 64, maxOutputBytes: 100_000, saveFigures: false },
  };
}

const optionsOf = (sandbox: Sandbox, signal: AbortSignal) => ({
  signal,
  end: () => sandbox.end(),
  kill: () => sandbox.kill(),
});

/** Starts a program and leaves it when it has said something; `last` is what its host wrote last. */
async function leave(code: string, last: Buffer): Promise<Sandbox> {
  const sandbox = await engine.boot(SPEC, OWNER, never);
  sandboxes.push(sandbox);
  const channel = GuestChannel.open(sandbox);
  await channel.waitReady(patience(30_000), never);
  const gone = new AbortController();
  const onOutput = (): void => gone.abort(new LeaveRunning('test'));
  const run = runProgram(channel, programOf(code), { onOutput }, optionsOf(sandbox, gone.signal));
  await expect(run).rejects.toBeInstanceOf(LeaveRunning);
  await new Promise<void>((resolve, reject) =>
    sandbox.input.write(last, (error) => (error ? reject(error) : resolve())),
  );
  channel.close();
  return sandbox;
}

/** Attaches as another host would. */
async function takeOver(left: Sandbox): Promise<{ sandbox: Sandbox; channel: GuestChannel; state: GuestState }> {
  const sandbox = await engine.attach(left, never);
  if (sandbox === undefined) throw new Error('the sandbox does not run');
  sandboxes.push(sandbox);
  const channel = GuestChannel.open(sandbox);
  return { sandbox, channel, state: await channel.takeOver(ANSWER_MS, never) };
}

const SLOW =
  'import time\nprint("begin", flush=True)\ntime.sleep(2)\nprint("end")\nopen("f", "w").write("x" * 9)\nresult = 7';

const get = encodeHeader('GET', 1, 1_000);

test.each<[string, Buffer]>([
  ['between two frames', Buffer.alloc(0)],
  ['in its first byte', get.subarray(0, 1)],
  ['in a header', get.subarray(0, 7)],
  ['before a payload', get],
  ['in a payload', Buffer.concat([get, Buffer.from('{"root":"sandbox"')])],
  ['in a long payload', Buffer.concat([encodeHeader('KILL', 0, 1 << 20), Buffer.alloc(300_000, 32)])],
])('R12: a program whose host broke off %s is taken over and heard from its first byte', async (_, last) => {
  const left = await leave(SLOW, last);
  const { sandbox, channel, state } = await takeOver(left);
  expect(state).toMatchObject({ state: 'running', executionId: 'taken-over' });
  const started = { ranMs: state.elapsedMs ?? 0, hasEnded: false };
  const outcome = await resumeProgram(channel, programOf(''), started, {}, optionsOf(sandbox, never));
  expect(outcome).toMatchObject({ exitCode: 0, stdout: 'begin\nend\n', resultJson: '7' });
  const chunks: Buffer[] = [];
  for await (const chunk of new FileFetcher(channel).fetch('sandbox', 'f', 100)) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe('x'.repeat(9));
});

test('a program that ended while nobody listened is heard to its end, as often as somebody asks', async () => {
  const code = 'print("begin", flush=True)\nimport time\ntime.sleep(0.2)\nprint("e" * 150_000)\nresult = "r" * 300_000';
  const left = await leave(code, Buffer.alloc(0));
  for (let host = 0; host < 3; host += 1) {
    // Whoever attaches and does not read keeps the others waiting: one that comes too early lets go.
    const taken = await eventually(
      async () => {
        const found = await takeOver(left);
        if (found.state.state !== 'ended') found.channel.close();
        return found;
      },
      ({ state }) => state.state === 'ended',
    );
    const outcome = await resumeProgram(
      taken.channel,
      programOf(''),
      { ranMs: 1_000, hasEnded: true },
      {},
      optionsOf(taken.sandbox, never),
    );
    expect(outcome.stdoutBytes).toBe(150_007);
    expect(outcome.stdout).toMatch(/^begin\ne+/);
    expect(outcome.resultJson).toBe(JSON.stringify('r'.repeat(300_000)));
    taken.channel.close();
  }
});

test('a sandbox that does not run is not attached to', async () => {
  const left = await leave(SLOW, Buffer.alloc(0));
  await left.kill();
  await left.end();
  expect(await engine.attach(left, never)).toBeUndefined();
  await engine.removeContainer(left.containerId);
  expect(await engine.attach(left, never)).toBeUndefined();
});
