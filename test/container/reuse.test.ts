import type { ExecutionRequest, ExecutionResult, Language } from '../../src/contract';
import { openTestHost, type TestHost } from '../support/host';

let host: TestHost;

beforeAll(async () => {
  host = await openTestHost({ HOURGLASS_PREWARM: 'none', HOURGLASS_WARM_PER_KEY: '0' });
});

afterAll(() => host.close());

type Use = Pick<ExecutionRequest, 'language' | 'code'> & Partial<ExecutionRequest>;

const run = (use: Use, userId: string): Promise<ExecutionResult> => host.run({ isolation: 'tenant', userId, ...use });

/** Runs two programs of one tenant, one after the other. */
async function twice(userId: string, first: Use, second: Use): Promise<[ExecutionResult, ExecutionResult]> {
  const results = [await run(first, userId), await run(second, userId)] as const;
  return [...results];
}

const RESULTS: Readonly<Record<Language, string>> = {
  python: 'result = 6 * 7',
  javascript: 'result = 6 * 7',
  typescript: 'result = (6 as number) * 7',
  shell: 'result=42',
};

test.each(Object.entries(RESULTS) as [Language, string][])(
  '%s runs again and again in one sandbox',
  async (language, code) => {
    const results: ExecutionResult[] = [];
    for (let use = 0; use < 3; use += 1) results.push(await run({ language, code }, `again-${language}`));
    expect(results.map(({ result }) => result)).toEqual([42, 42, 42]);
    expect(results.map(({ metadata }) => metadata.startKind)).toEqual(['cold', 'reused', 'reused']);
    expect(new Set(results.map(({ metadata }) => metadata.sandboxId)).size).toBe(1);
  },
);

test('another tenant, and a run of its own, get another sandbox', async () => {
  const use: Use = { language: 'shell', code: 'result=1' };
  const mine = await run(use, 'mine');
  const foreign = await run(use, 'foreign');
  const own = await host.run({ ...use, userId: 'mine' });
  const ids = [mine, foreign, own].map(({ metadata }) => metadata.sandboxId);
  expect(new Set(ids).size).toBe(3);
  expect([foreign, own].map(({ metadata }) => metadata.startKind)).toEqual(['cold', 'cold']);
});

const LOOK = [
  'find /sandbox /tmp /dev/shm -mindepth 1 -printf "%p %M %u\\n" | sort',
  'find /tmp -type f -exec md5sum {} + | sort',
  'stat -c "%a %U" /sandbox',
  'pgrep -c sleep || true',
  'env | sort',
  'umask; ulimit -a | md5sum',
].join('\n');

test('nothing of a run is there for the next one', async () => {
  const fresh = await run({ language: 'shell', code: LOOK }, 'fresh');
  const litter = [
    'mkdir -p deep/er; echo x > deep/er/file; ln -s /etc/passwd link; mkfifo pipe; touch -- "-rf" $\'a\\nb\'',
    'echo x > /tmp/left; echo x > /dev/shm/left; mkdir /tmp/closed; touch /tmp/closed/f; chmod 000 /tmp/closed',
    'echo broken > /tmp/.hourglass/shell/extra; for own in /tmp/.hourglass/mplconfig/*; do echo x > "$own"; done',
    'chmod 700 .; export LEFT=1; umask 077; ulimit -n 64',
    '(setsid sleep 300 &) ; (trap "" TERM INT HUP; sleep 300) &',
    'result=$(cat /tmp/.hourglass/shell/extra)',
  ].join('\n');
  const [first, second] = await twice('tidy', { language: 'shell', code: litter }, { language: 'shell', code: LOOK });
  expect(first.result).toBe('broken');
  expect(second.metadata).toMatchObject({ startKind: 'reused', sandboxId: first.metadata.sandboxId });
  expect(second.stdout).toBe(fresh.stdout);
});

test('memory of Python and globals of JavaScript do not outlive their run', async () => {
  const python = await twice(
    'python-state',
    { language: 'python', code: 'import builtins, json, sys\nbuiltins.left = json.left = sys.left = 1\nresult = 1' },
    {
      language: 'python',
      code: 'import builtins, json, sys\nresult = [hasattr(m, "left") for m in (builtins, json, sys)]',
    },
  );
  expect(python[1]).toMatchObject({ result: [false, false, false], metadata: { startKind: 'reused' } });
  const javascript = await twice(
    'javascript-state',
    { language: 'javascript', code: 'globalThis.left = 1; Array.prototype.left = 1; result = 1' },
    { language: 'javascript', code: 'result = [typeof left, [].left ?? null]' },
  );
  expect(javascript[1]).toMatchObject({ result: ['undefined', null], metadata: { startKind: 'reused' } });
});

test('a library that was imported ahead, and the environment, are as they were born', async () => {
  const look = 'import os, sys\nborn = ["pandas" in sys.modules, dict(os.environ)]\nimport pandas\n';
  const [first, second] = await twice(
    'preloaded',
    {
      language: 'python',
      code: `${look}pandas.left = pandas.DataFrame.left = 1\nos.environ.update(LEFT="1", TZ="EST")\nresult = born`,
    },
    { language: 'python', code: `${look}result = [*born, hasattr(pandas, "left"), hasattr(pandas.DataFrame, "left")]` },
  );
  expect(first).toMatchObject({ result: [true, { TZ: 'UTC' }], metadata: { startKind: 'cold' } });
  expect(second.result).toEqual([...(first.result as unknown[]), false, false]);
  expect(second.metadata).toMatchObject({ startKind: 'reused', sandboxId: first.metadata.sandboxId });
});

test('after a timeout, an error and out of memory the next run is whole, reused or not', async () => {
  const bad: Use[] = [
    { language: 'python', code: 'import time\nprint("up")\ntime.sleep(60)', timeout: 1_000 },
    { language: 'python', code: '1 / 0' },
    { language: 'python', code: 'x = bytearray(1 << 31)\nresult = len(x)' },
    { language: 'python', code: 'import os\nos.kill(os.getpid(), 9)' },
  ];
  for (const use of bad) {
    expect(await run(use, 'bad')).toMatchObject({ success: false });
    expect(await run({ language: 'python', code: '6 * 7' }, 'bad')).toMatchObject({ result: 42, success: true });
  }
});

test('a sandbox whose guest was slowed down is not used again', async () => {
  const code =
    'import os\nresult = len(os.sched_getaffinity(1))\nos.sched_setaffinity(1, {min(os.sched_getaffinity(1))})';
  const [first, second] = await twice('pinned', { language: 'python', code }, { language: 'python', code });
  expect(second.result).toBe(first.result);
  // Where there is one processor, the guest was on it before.
  expect(second.metadata.startKind).toBe(first.result === 1 ? 'reused' : 'cold');
});

test('what is too much to remove costs the sandbox, and nothing else', async () => {
  const [first, second] = await twice(
    'deep',
    { language: 'python', code: 'import os\nfor _ in range(300):\n  os.mkdir("d")\n  os.chdir("d")\nresult = 1' },
    { language: 'python', code: 'import os\nresult = os.listdir("/sandbox")' },
  );
  expect(second.result).toEqual([]);
  expect(second.metadata.sandboxId).not.toBe(first.metadata.sandboxId);
});

test('input and output files are those of each run', async () => {
  const workspace = await host.host.workspaces.open({ workspaceId: 'default', userId: 'files' });
  const outputFiles = [{ sandboxPath: '*.txt' }];
  const [first, second] = await twice(
    'files',
    { language: 'shell', code: 'echo one > one.txt', outputFiles },
    { language: 'shell', code: 'echo two > two.txt', outputFiles },
  );
  expect([first, second].map(({ savedFiles }) => savedFiles.map(({ workspacePath }) => workspacePath))).toEqual([
    ['one.txt'],
    ['two.txt'],
  ]);
  const paths: string[] = [];
  for await (const { path } of workspace.list()) paths.push(path);
  expect(paths.sort()).toEqual(['one.txt', 'two.txt']);
});

test('a worker that uses no sandbox twice says so', async () => {
  const strict = await openTestHost({ HOURGLASS_REUSE_MAX_USES: '0', HOURGLASS_PREWARM: 'none' });
  await expect(strict.run({ language: 'shell', code: 'true', isolation: 'tenant' })).rejects.toMatchObject({
    code: 'POLICY_DENIED',
  });
  await strict.close();
});
