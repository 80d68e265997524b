import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { findEngine } from '../../infra/setup/engine/find.js';
import { ensureGvisor } from '../../infra/setup/engine/gvisor.js';
import { loadConfig } from '../../src/config';
import type { ExecutionRequest, ExecutionResult } from '../../src/contract';
import { LIMIT_PROBES } from '../../src/doctor/limit-probes';
import { checkSandbox } from '../../src/doctor/sandbox-checks';
import { askSandbox } from '../../src/doctor/sandbox-facts';
import { probeLimit, type LimitName } from '../../src/doctor/sandbox-limits';
import { sandboxDemands } from '../../src/doctor/start-check';
import { createContainerEngine } from '../../src/engine/container';
import { SILENT } from '../../src/telemetry/log';
import { buildCli, CliProcess } from '../support/cli';
import { askEngine } from '../support/engine-api';
import { eventually } from '../support/eventually';
import { differences, type Expectation } from '../support/expectation';
import { openTestHost, type TestHost } from '../support/host';

const SETTINGS = { HOURGLASS_RUNTIME: 'runsc', HOURGLASS_PREWARM: 'none', HOURGLASS_WARM_PER_KEY: '0' };

let host: TestHost | undefined;
let hasGvisor = false;

beforeAll(async () => {
  const engine = createContainerEngine(loadConfig(), SILENT);
  hasGvisor = (await engine.info()).runtimes.includes('runsc');
  await engine.close();
  if (hasGvisor) host = await openTestHost(SETTINGS);
});

afterAll(() => host?.close());

interface Smoke {
  readonly title: string;
  readonly request: ExecutionRequest;
  readonly expect: Expectation;
}

const SMOKE: readonly Smoke[] = [
  { title: 'Python', request: { language: 'python', code: '6 * 7' }, expect: { result: 42 } },
  { title: 'JavaScript', request: { language: 'javascript', code: '6 * 7' }, expect: { result: 42 } },
  { title: 'TypeScript', request: { language: 'typescript', code: 'enum A { X = 3 }\nA.X' }, expect: { result: 3 } },
  { title: 'shell', request: { language: 'shell', code: 'result=$((6 * 7)); echo hi' }, expect: { stdout: 'hi\n' } },
  {
    title: 'pandas',
    request: { language: 'python', code: 'import pandas\nresult = int(pandas.Series([1, 2]).sum())' },
    expect: { result: 3 },
  },
  {
    title: 'a timeout keeps what was printed',
    request: { language: 'python', code: 'print("up")\nwhile True: pass', timeout: 2_000 },
    expect: { errorCode: 'TIMEOUT', stdout: 'up\n' },
  },
  {
    title: 'no memory, where the whole sandbox dies',
    request: { language: 'python', code: 'x = bytearray(1 << 30)' },
    expect: { errorCode: 'MEMORY_LIMIT', warningsInclude: ['the whole sandbox was killed'] },
  },
  {
    title: 'a full disk',
    request: { language: 'shell', code: 'head -c 40M /dev/zero > big', resourceLimits: { diskMb: 16 } },
    expect: { errorCode: 'RUNTIME_ERROR', stderrIncludes: ['No space left on device'] },
  },
  {
    title: 'output files',
    request: { language: 'shell', code: 'echo out > out.txt', outputFiles: [{ sandboxPath: '*.txt' }] },
    expect: { saved: ['out.txt'] },
  },
  {
    title: 'no network',
    request: {
      language: 'python',
      code: 'import socket\ntry:\n  socket.create_connection(("192.0.2.1", 53), 2)\n  result = "open"\nexcept OSError:\n  result = "closed"',
    },
    expect: { result: 'closed' },
  },
  {
    title: 'no capabilities, user of our own',
    request: { language: 'shell', code: 'result="$(id -u) $(grep CapEff /proc/self/status | cut -f2)"' },
    expect: { result: '10001 0000000000000000' },
  },
];

test('with gVisor programs run in all languages, within their limits; without it the refusal names the runtime', async () => {
  if (host === undefined) {
    await expect(openTestHost(SETTINGS)).rejects.toMatchObject({
      name: 'HostMisconfiguredError',
      message: expect.stringContaining('runsc') as unknown,
    });
    return;
  }
  const found: Record<string, string[]> = {};
  for (const { title, request, expect: expected } of SMOKE) {
    const result: ExecutionResult = await host.run(request);
    const { peakMemoryBytes, cpuTimeMs } = result.metadata;
    found[title] = differences(result, expected);
    // There are no files of a cgroup inside to read them from.
    expect({ title, peakMemoryBytes, cpuTimeMs }).toEqual({ title });
  }
  expect(found).toEqual(Object.fromEntries(SMOKE.map(({ title }) => [title, []])));
});

test('set-up leaves an engine alone that has gVisor, and says what to type where it may not install it', async () => {
  const engine = await findEngine();
  if (engine === undefined) throw new Error('the tests need an engine');
  if (hasGvisor) expect(await ensureGvisor(engine)).toEqual({ way: 'the engine has the runtime runsc' });
  // The same engine by another name counts as one that is not this machine's to change.
  else
    await expect(
      ensureGvisor({ ...engine, dockerHost: engine.dockerHost.replace('/var/run/', '/run/') }),
    ).rejects.toThrow(/runsc install/);
});

test('the command for set-up has an option for it, and leaves what is there alone', async () => {
  if (!hasGvisor) return expect(host).toBeUndefined();
  buildCli();
  const { PATH, HOME, DOCKER_HOST } = process.env;
  const argv = ['setup', '--only', 'engine', '--gvisor', '--json'];
  const { exitCode, stdout, stderr } = await new CliProcess(argv, { env: { PATH, HOME, DOCKER_HOST }, cwd: tmpdir() })
    .ended;
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringMatching(/^\[gvisor\] done in .* s: the engine has the runtime runsc$/m) as string,
  });
  expect(JSON.parse(stdout)).toMatchObject({ engine: { version: expect.any(String) as string } });
});

test('R08: a host with gVisor passes its probes; what its kernel does not bound is a warning', async () => {
  if (!hasGvisor) return expect(host).toBeUndefined();
  const engine = createContainerEngine(loadConfig({ env: { ...process.env, ...SETTINGS } }), SILENT);
  const owner = { hostId: `test-${randomUUID()}`, workerId: randomUUID() };
  const place = { engine, owner, bootTimeoutMs: 60_000, signal: new AbortController().signal };
  try {
    const inside = checkSandbox(await askSandbox(place), sandboxDemands(await engine.facts(), []));
    expect(inside.filter(({ status }) => status === 'failure')).toEqual([]);
    const limits = Object.keys(LIMIT_PROBES) as LimitName[];
    const found: Partial<Record<LimitName, string>> = {};
    for (const name of limits) found[name] = (await probeLimit(place, name, true)).status;
    expect(Object.values(found)).not.toContain('failure');
    expect(found).toMatchObject({ memory: 'pass', disk: 'pass', inodes: 'warning', pids: 'warning', output: 'pass' });
  } finally {
    await engine.close();
  }
});

const OF_THE_GUEST = `
import os
readable = [name for name in os.listdir('/proc/1/fd') if os.readlink('/proc/1/fd/' + name)]
variables = [pair.split('=')[0] for pair in open('/proc/1/environ').read().split('\\0') if pair]
result = [len(readable) > 0, sorted(variables)]`;

/** Writes to all that the guest has open: the end of a run, as the guest would tell it, and something that nobody would. */
const FORGED = `
import os, struct
for frame in (b'HG' + bytes([1, 0x88]) + struct.pack('>II', 0, 2) + b'{}', b'?' * 12):
    for name in os.listdir('/proc/1/fd'):
        try:
            os.write(os.open('/proc/1/fd/' + name, os.O_WRONLY | os.O_NONBLOCK), frame)
        except OSError:
            pass`;

test('R16: with gVisor a program reaches the descriptors of the guest, where it finds no secret and ends its own run alone', async () => {
  if (host === undefined) return expect(hasGvisor).toBe(false);
  const { result } = await host.run({ language: 'python', code: OF_THE_GUEST });
  expect(result).toEqual([true, ['HOME', 'HOSTNAME', 'LANG', 'PATH', 'TZ']]);
  await expect(host.run({ language: 'python', code: FORGED })).rejects.toMatchObject({ code: 'PROTOCOL_ERROR' });
  expect((await host.run({ language: 'python', code: '6 * 7' })).result).toBe(42);
});

/** In how many periods the kernel has made a container wait, as the engine reads it from the cgroup. */
async function throttledPeriods(containerId: string): Promise<number> {
  const stats = await askEngine<EngineStats>(`/containers/${containerId}/stats?stream=false&one-shot=1`);
  return stats.cpu_stats.throttling_data.throttled_periods;
}

interface EngineStats {
  readonly cpu_stats: { readonly throttling_data: { readonly throttled_periods: number } };
}

test('R05: with gVisor the kernel of the host makes a busy sandbox wait', async () => {
  if (host === undefined) return expect(hasGvisor).toBe(false);
  const { leases } = host.host;
  const code = 'import os\nfor _ in range(2): os.fork()\nwhile True: pass';
  const request: ExecutionRequest = { language: 'python', code, resourceLimits: { cpuCores: 0.3 }, timeout: 100_000 };
  const controller = new AbortController();
  const running = host.run(request, controller.signal).catch((error: unknown) => error);
  const [lease] = await eventually(
    () => leases.all().filter(({ phase }) => phase === 'started'),
    ({ length }) => length === 1,
  );
  const id = lease?.containerId ?? '';
  const before = await throttledPeriods(id);
  await eventually(
    () => throttledPeriods(id),
    (periods) => periods >= before + 5,
  );
  controller.abort();
  expect(await running).toBe(controller.signal.reason);
});
