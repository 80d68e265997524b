import { inspect } from 'node:util';
import type { ExecutionHandle } from '../../src/client';
import type { ExecutionRequest } from '../../src/contract';
import { afterEachAttack } from '../support/after-attack';
import { DurableSetup } from '../support/durable';
import { askEngine } from '../support/engine-api';
import { containersOf } from '../support/hostile-host';
import type { TestWorker } from '../support/test-worker';

/** In the environment of the worker's process, and in no place that a sandbox, a log or a history shows. */
const SECRET = 'canary-5e7d1c';
const PROGRAM_SECRET = 'canary-a91f03';
const VARIABLES = ['AWS_SECRET_ACCESS_KEY', 'DATABASE_URL', 'HOURGLASS_TEST_CANARY'];

let setup: DurableSetup;
let worker: TestWorker;

beforeAll(async () => {
  for (const name of VARIABLES) process.env[name] = SECRET;
  setup = await DurableSetup.open({ MAX_CONCURRENT_EXECUTIONS: '2', HOURGLASS_TEST_CANARY: SECRET });
  worker = await setup.worker();
});

afterEachAttack({ run: (request) => setup.hourglass.run(request), left: () => setup.place.containers() });

afterAll(async () => {
  await worker.stop();
  for (const name of VARIABLES) delete process.env[name];
  await setup.close();
});

async function cancelled(handle: ExecutionHandle): Promise<void> {
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow('was cancelled');
}

/** The history as text; payloads, which are base64 in it, as what they hold. */
async function historyOf(workflowId: string): Promise<string> {
  const { events } = await setup.client.workflow.getHandle(workflowId).fetchHistory();
  return JSON.stringify(events).replace(/"data":"([A-Za-z0-9+/=]+)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString('utf8'),
  );
}

const SEARCH = `
import os, time
def texts():
    for folder, _, names in os.walk('/proc'):
        if folder.count('/') > 3: continue
        for name in names:
            if name in ('environ', 'cmdline', 'comm', 'mounts', 'mountinfo', 'cgroup', 'maps'):
                try: yield open(folder + '/' + name, 'rb').read()
                except OSError: pass
    for root in ('/etc', '/sandbox', '/tmp', '/run', '/opt/hourglass/guest'):
        for folder, _, names in os.walk(root):
            for name in names:
                try: yield open(folder + '/' + name, 'rb').read(10 ** 6)
                except OSError: pass
needle = ('can' + 'ary-5e7d1c').encode()
def count():
    return sum(needle in text for text in texts())
`;

/** Hides the needle, in each place that can be written, from a search that has to find it there. */
const PLANT = `
import subprocess
text = needle.decode()
for path in ('/sandbox/planted', '/tmp/planted'):
    open(path, 'w').write(text)
children = [
    subprocess.Popen(['sleep', '600'], env={**os.environ, 'PLANTED': text}),
    subprocess.Popen(['bash', '-c', 'sleep 600; : ' + text]),
]
# Popen returns when the new program is in its place, with arguments and environment of its own.
`;

test('R41: the search for what the worker holds finds it in files, arguments and variables where it is', async () => {
  const code = `${SEARCH}\nresult = [count()]${PLANT}\nresult.append(count())`;
  expect(await setup.hourglass.run({ language: 'python', code })).toMatchObject({ success: true, result: [0, 4] });
});

test('R41: what the worker holds is in no container, process, label, argument, heartbeat, history or log', async () => {
  const code = `${SEARCH}\nprint('found', count(), flush=True)\ntime.sleep(250)`;
  const handle = await setup.hourglass.start({ language: 'python', code, timeout: 250_000 });
  const heartbeat = await setup.heartbeat(handle.workflowId, ({ tail }) => tail?.startsWith('found') === true);
  const containers = await containersOf(heartbeat.hostId);
  const facts = await Promise.all(containers.map(({ Id }) => askEngine<object>(`/containers/${Id}/json`)));
  const processes = await Promise.all(containers.map(({ Id }) => askEngine<object>(`/containers/${Id}/top`)));
  expect(containers).toHaveLength(1);
  expect(heartbeat.tail).toBe('found 0\n');
  await cancelled(handle);
  for (const told of [facts, heartbeat, worker.log]) expect(JSON.stringify(told)).toContain(heartbeat.hostId);
  for (const told of [facts, processes, heartbeat, worker.log]) expect(JSON.stringify(told)).not.toContain(SECRET);
  const history = await historyOf(handle.workflowId);
  expect(history).toContain('os.walk');
  expect(history).not.toContain(SECRET);
  expect(inspect(worker.log, { depth: 9, maxStringLength: null })).not.toContain(SECRET);
});

test('R41: neither code nor inputs of a run are in its container’s facts or in the log', async () => {
  const request: ExecutionRequest = {
    language: 'shell',
    code: `echo up # ${PROGRAM_SECRET}\nsleep 250`,
    inputData: { secret: PROGRAM_SECRET },
    stdin: PROGRAM_SECRET,
    timeout: 250_000,
  };
  const handle = await setup.hourglass.start(request);
  const heartbeat = await setup.heartbeat(handle.workflowId, ({ tail }) => tail === 'up\n');
  const [container] = await containersOf(heartbeat.hostId);
  expect(JSON.stringify(await askEngine<object>(`/containers/${container?.Id}/json`))).not.toContain(PROGRAM_SECRET);
  await cancelled(handle);
  expect(JSON.stringify(worker.log)).not.toContain(PROGRAM_SECRET);
  expect(JSON.stringify(heartbeat)).not.toContain(PROGRAM_SECRET);
});

const FLOOD = 'import os, time\nfor _ in range(20): os.write(1, b"x" * 2 ** 20)\n';

test('R07: a program that floods its output grows no log of the engine', async () => {
  const code = `${FLOOD}time.sleep(250)`;
  const handle = await setup.hourglass.start({ language: 'python', code, timeout: 250_000 });
  const heartbeat = await setup.heartbeat(handle.workflowId, ({ stdoutBytes }) => stdoutBytes >= 102_400);
  const [container] = await containersOf(heartbeat.hostId);
  const facts = await askEngine<{ LogPath: string; HostConfig: { LogConfig: { Type: string } } }>(
    `/containers/${container?.Id}/json`,
  );
  expect([facts.LogPath, facts.HostConfig.LogConfig.Type]).toEqual(['', 'none']);
  await cancelled(handle);
});

test('R07: what the engine does not write down is in the result, up to its limit', async () => {
  const { stdout, success } = await setup.hourglass.run({ language: 'python', code: FLOOD });
  expect(success).toBe(true);
  expect(stdout).toMatch(/^x+\n\.\.\. \[truncated: 20971520 bytes [^]*\nx+$/);
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(102_400);
  expect(Buffer.byteLength(stdout)).toBeGreaterThan(102_400 - 16);
});

const OUTCOMES: readonly (readonly [outcome: string, request: ExecutionRequest])[] = [
  ['TIMEOUT', { language: 'python', code: 'while True: pass', timeout: 1_000 }],
  ['MEMORY_LIMIT', { language: 'python', code: 'x = bytearray(10 ** 9)', resourceLimits: { memoryMb: 64 } }],
  ['KILLED', { language: 'shell', code: 'kill -9 $$' }],
  ['RUNTIME_ERROR', { language: 'javascript', code: 'process.exit(137)' }],
  ['SYNTAX_ERROR', { language: 'python', code: '(' }],
];

test.each(OUTCOMES)('R43: a program that ends as %s is not run again', async (outcome, request) => {
  const handle = await setup.hourglass.start(request);
  expect(await handle.result()).toMatchObject({ error: { code: outcome }, metadata: { attempt: 1 } });
  const { events } = await setup.client.workflow.getHandle(handle.workflowId).fetchHistory();
  expect(events?.filter((event) => event.activityTaskScheduledEventAttributes)).toHaveLength(1);
});

test('R43: a heartbeat of a program that prints what heartbeats are made of stays small', async () => {
  const code = 'import sys, time\nsys.stdout.write("\\0\\u2028" * 2_000_000)\nsys.stdout.flush()\ntime.sleep(250)';
  const handle = await setup.hourglass.start({ language: 'python', code, timeout: 250_000 });
  const heartbeat = await setup.heartbeat(handle.workflowId, ({ stdoutBytes }) => stdoutBytes >= 102_400);
  expect(Buffer.byteLength(JSON.stringify(heartbeat))).toBeLessThan(4_096);
  await cancelled(handle);
});

test('R44: the log of a run whose every text is hostile holds no control character', async () => {
  const evil = '\u001b]0;owned\u0007\u009b2J\u202e\r\nfaked line';
  await setup.hourglass.run({
    language: 'python',
    code: `raise type(evil, (Exception,), {})(evil)`,
    inputData: { evil },
    outputFiles: [{ sandboxPath: 'no*such\u202efile' }],
    label: `label ${evil}`,
  });
  for (const text of textsOf(worker.log)) expect(text).not.toMatch(/[\p{Cc}\u202e\u2028]/u);
});

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.entries(value).flat().flatMap(textsOf) : [];
}
