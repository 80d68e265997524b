import type { ExecutionRequest, Language } from '../../src/contract';
import { askEngine, isEngineHere } from '../support/engine-api';
import { containersOf, hostileHost, type Listed } from '../support/hostile-host';
import { eventually } from '../support/eventually';
import { patience } from '../support/patience';
import { idOfContainer, networksWithSocket, processesOf } from '../support/remains';
import { STOPPED_TREE } from './attacks';

const host = hostileHost();
const TIMEOUT = 1_500;
/** The longest that anything may go on after its timeout, in ms. */
const GRACE = 5_000;
/** The longest that anything of a run may be there after its end, in ms. */
const REMAINS_MS = patience(10_000);

type Shape = readonly [shape: string, language: Language, code: string];

const ENDLESS: readonly Shape[] = [
  [
    'ignores every signal that can be ignored',
    'python',
    `
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: pass`,
  ],
  [
    'catches whatever interrupts it',
    'python',
    `
import time
while True:
    try: time.sleep(100)
    except BaseException: pass`,
  ],
  [
    'leaves its session and forks on',
    'python',
    `
import os, time
for _ in range(30):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True: time.sleep(1)
        os._exit(0)
while True: pass`,
  ],
  ['stops itself and all that it started', 'python', STOPPED_TREE],
  [
    'takes the processor and lets nobody else have it',
    'python',
    `
import os
for slow_down in (
    lambda: os.setpriority(os.PRIO_PROCESS, 1, 19),
    lambda: os.setpriority(os.PRIO_USER, 0, 19),
    lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)),
):
    try: slow_down()
    except OSError: pass
try:
    while os.fork() > 0: pass
except OSError: pass
while True: pass`,
  ],
  ['does not return from one call of C', 'python', 'sum(range(10 ** 14))'],
  ['is deep in a regular expression', 'javascript', '/(a+)+$/.test("a".repeat(60) + "b")'],
  ['blocks its event loop', 'javascript', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
  [
    'keeps threads that do not end',
    'javascript',
    'const { Worker } = require("worker_threads"); for (let i = 0; i < 3; i++) new Worker("for (;;);", { eval: true }); setInterval(() => {}, 1000)',
  ],
  ['traps signals and starts anew', 'shell', "trap '' TERM INT HUP QUIT; while :; do (trap '' TERM; sleep 1000); done"],
];

const request = (language: Language, code: string, rest: Partial<ExecutionRequest> = {}): ExecutionRequest => ({
  language,
  code,
  ...rest,
});

test.each(ENDLESS)('R10: a program that %s is dead when its time is over', async (_, language, code) => {
  const { error, metadata } = await host().run(request(language, code, { timeout: TIMEOUT }));
  expect(error).toMatchObject({ code: 'TIMEOUT', message: `Execution timed out after ${TIMEOUT}ms` });
  expect(metadata.executionTimeMs).toBeGreaterThanOrEqual(TIMEOUT);
  expect(metadata.executionTimeMs).toBeLessThan(TIMEOUT + GRACE);
});

test('R10: a program that sleeps, handles signals and ends in time is no timeout', async () => {
  const code = `
import os, signal, time
signal.signal(signal.SIGTERM, lambda *_: print('told'))
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(0.3)
result = 'in time'`;
  expect(await host().run(request('python', code))).toMatchObject({
    success: true,
    stdout: 'told\n',
    result: 'in time',
  });
});

const HOLDERS: readonly Shape[] = [
  ['python', 'python', 'import subprocess\nsubprocess.Popen(["sleep", "600"])\nprint("main")'],
  [
    'javascript',
    'javascript',
    'require("child_process").spawn("sleep", ["600"], { stdio: "inherit", detached: true }).unref(); console.log("main")',
  ],
  ['shell', 'shell', 'sleep 600 & disown; echo main'],
];

test.each(HOLDERS)(
  'R11: a %s run ends with its main process, though a child holds stdout',
  async (_, language, code) => {
    const result = await host().run(request(language, code, { timeout: 120_000 }));
    expect(result).toMatchObject({ success: true, stdout: 'main\n' });
  },
);

test('R11: what children print that the program waits for is all there', async () => {
  const code = 'for i in 1 2 3; do (sleep 0.2; echo "child $i") & done; wait; echo main';
  const { stdout } = await host().run(request('shell', code));
  expect(stdout.split('\n').sort()).toEqual(['', 'child 1', 'child 2', 'child 3', 'main']);
});

const ENDS: readonly (readonly [end: string, request: ExecutionRequest, code: string | undefined])[] = [
  ['success', request('python', 'result = 1'), undefined],
  ['an error', request('python', '1 / 0'), 'RUNTIME_ERROR'],
  ['no program at all', request('javascript', '((('), 'SYNTAX_ERROR'],
  ['a signal', request('shell', 'kill -SEGV $$'), 'KILLED'],
  ['no memory', request('python', 'x = bytearray(10 ** 9)', { resourceLimits: { memoryMb: 64 } }), 'MEMORY_LIMIT'],
  ['a timeout', request('python', 'while True: pass', { timeout: 1_000 }), 'TIMEOUT'],
];

const isEmpty = (left: readonly unknown[]): boolean => left.length === 0;

/** Until no container of this host is left, nor a process of the one that was looked at, nor its listener. */
async function nothingIsLeft(containerId: string, listener?: string): Promise<void> {
  const listening = (): string[] => (listener === undefined ? [] : networksWithSocket(listener));
  const seenFromHere = (): string[] => (isEngineHere() ? [...processesOf(containerId), ...listening()] : []);
  const left = async (): Promise<unknown[]> => [...(await containersOf(host().host.owner.hostId)), ...seenFromHere()];
  await eventually(left, isEmpty, REMAINS_MS);
}

test.each(ENDS)('R12: after the end by %s no container, no process and no volume is left', async (_, asked, code) => {
  const volumes = async (): Promise<unknown[] | null> =>
    (await askEngine<{ Volumes: unknown[] | null }>('/volumes')).Volumes;
  const before = await volumes();
  const start = new Date();
  const { error, metadata } = await host().run(asked);
  expect(error?.code).toBe(code);
  await nothingIsLeft(await idOfContainer(metadata.sandboxId, start));
  expect(await volumes()).toEqual(before);
});

// The port cannot be told from those of other sandboxes, the name of the other socket can: both end with their network.
const LISTENER = `
import os, socket, time
name = 'hourglass-' + os.urandom(8).hex()
listeners = [socket.socket(socket.AF_UNIX), socket.socket()]
listeners[0].bind('\\0' + name)
listeners[1].bind(('0.0.0.0', 0))
for listener in listeners: listener.listen()
if os.fork() == 0:
    os.setsid()
    time.sleep(600)
print(name, flush=True)
time.sleep(5)`;

/** Whether a process of the container has a network in which the socket listens. */
function listens({ Id }: Listed): boolean {
  const networks = networksWithSocket('hourglass-');
  return processesOf(Id).some((pid) => networks.includes(pid));
}

test('R12: while a program runs its processes and what listens are there, and after its end neither is', async () => {
  // The processes and networks of an engine elsewhere cannot be seen from here.
  if (!isEngineHere()) return;
  const running = host().run(request('python', LISTENER));
  const [container] = await eventually(
    () => containersOf(host().host.owner.hostId),
    (listed) => listed.some(listens),
  );
  const { stdout, error } = await running;
  expect(error).toBeUndefined();
  await nothingIsLeft(container?.Id ?? '', stdout.trim());
});

// A kernel that hands cores to a program of the host calls every crash dumped: whether that one stores what has a limit of
// 0 cannot be seen from here.
test('R12: a crash leaves no core file', async () => {
  const code = `
import ctypes, os, pathlib
child = os.fork()
if child == 0: ctypes.string_at(0)
_, status = os.waitpid(child, 0)
handed = open('/proc/sys/kernel/core_pattern').read().startswith('|')
cores = [str(path) for root in ('/sandbox', '/tmp', '/dev/shm') for path in pathlib.Path(root).rglob('*core*')]
result = [os.WTERMSIG(status), os.WCOREDUMP(status) and not handed, cores]`;
  expect((await host().run(request('python', code))).result).toEqual([11, false, []]);
});

test('R12: nothing is left of a run that is cancelled at any moment of its start', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const running = host().run(request('python', 'while True: pass', { timeout: 60_000 }), controller.signal);
  const caught = running.catch((error: unknown) => error);
  const [container] = await eventually(
    () => containersOf(host().host.owner.hostId),
    (listed) => listed.length === 1,
  );
  controller.abort(reason);
  expect(await caught).toBe(reason);
  await nothingIsLeft(container?.Id ?? '');
});

const PRETENDED: readonly (readonly [pretence: string, language: Language, code: string, fact: object])[] = [
  ['exits with 124', 'python', 'import sys\nsys.exit(124)', { code: 'RUNTIME_ERROR', exitCode: 124 }],
  ['exits with 137', 'javascript', 'process.exit(137)', { code: 'RUNTIME_ERROR', exitCode: 137 }],
  ['exits with 143', 'shell', 'exit 143', { code: 'RUNTIME_ERROR', exitCode: 143 }],
  ['raises MemoryError', 'python', 'raise MemoryError', { code: 'RUNTIME_ERROR', type: 'MemoryError' }],
  [
    'raises TimeoutError',
    'python',
    'raise TimeoutError("Execution timed out after 30000ms")',
    { code: 'RUNTIME_ERROR' },
  ],
  [
    'prints what the kernel says',
    'shell',
    'echo "Killed" >&2; echo "Out of memory" >&2; exit 1',
    { code: 'RUNTIME_ERROR' },
  ],
  ['kills itself', 'python', 'import os\nos.kill(os.getpid(), 9)', { code: 'KILLED' }],
];

test.each(PRETENDED)('R14: a program that %s is taken for what it is', async (_, language, code, fact) => {
  const { error, metadata } = await host().run(request(language, code));
  expect({ ...error, exitCode: metadata.exitCode }).toMatchObject(fact);
});
