import type { ExecutionResult, HeartbeatDetails, JsonValue, Language } from '../../src/contract';
import { executeRequest } from '../../src/execution/execute-request';
import { ExecutionProgress } from '../../src/execution/progress';
import { openTestHost, type TestHost } from '../support/host';

let test_: TestHost;
let runs = 0;

beforeAll(async () => {
  test_ = await openTestHost();
});

afterAll(async () => {
  await test_?.close();
});

interface Noted extends Pick<HeartbeatDetails, 'checkpoint' | 'progress'> {
  readonly result: ExecutionResult;
}

/** Runs a program that an earlier attempt has left a checkpoint; what it notes itself. */
async function run(language: Language, code: string, checkpoint?: JsonValue, inputData = {}): Promise<Noted> {
  const { host } = test_;
  const progress = new ExecutionProgress(host.owner.hostId, `notes-${(runs += 1)}`, 0);
  progress.checkpoint = checkpoint;
  const attempt = {
    signal: new AbortController().signal,
    progress,
    origin: `notes-${runs}`,
    number: 1,
    turn: host.attempts.nextTurn(),
    log: host.log,
  };
  const result = await executeRequest({ language, code, inputData }, host, attempt);
  const { checkpoint: kept, progress: said } = progress.details();
  return {
    result,
    ...(kept === undefined ? {} : { checkpoint: kept }),
    ...(said === undefined ? {} : { progress: said }),
  };
}

const COUNTS: Readonly<Record<Language, string>> = {
  python: `
import hourglass as imported
before = hourglass.last_checkpoint
hourglass.checkpoint({"n": before["n"] + 1 if before else 1, "text": "ü"})
hourglass.progress(0.25, "a quarter")
result = [before, imported is hourglass]`,
  javascript: `
const before = hourglass.lastCheckpoint;
hourglass.checkpoint({ n: before ? before.n + 1 : 1, text: 'ü' });
hourglass.progress(0.25, 'a quarter');
result = [before, hourglass.last_checkpoint === before];`,
  typescript: `
declare const hourglass: any;
const before: { n: number } | null = hourglass.lastCheckpoint;
hourglass.checkpoint({ n: before ? before.n + 1 : 1, text: 'ü' });
hourglass.progress(0.25, 'a quarter');
const result = [before, true];`,
  shell: `
before=$(hourglass last-checkpoint || echo null)
jq -c '{ n: ((. // { n: 0 }).n + 1), text: "ü" }' <<<"$before" | hourglass checkpoint
hourglass progress 0.25 "a quarter"
result=$(jq -c '[., true]' <<<"$before")`,
};

const languages = Object.keys(COUNTS) as Language[];

test.each(languages)(
  '%s keeps a checkpoint, says how far it is, and finds what an earlier run has kept',
  async (language) => {
    const said = { fraction: 0.25, message: 'a quarter' };
    const first = await run(language, COUNTS[language]);
    expect(first).toMatchObject({ checkpoint: { n: 1, text: 'ü' }, progress: said, result: { success: true } });
    const second = await run(language, COUNTS[language], { n: 41 });
    expect(second).toMatchObject({ checkpoint: { n: 42, text: 'ü' }, progress: said, result: { success: true } });
    const { result } = second.result;
    expect(result).toEqual([{ n: 41 }, true]);
  },
);

test.each<[Language, string, JsonValue]>([
  [
    'python',
    `
def name(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__
result = [name(call) for call in (
    lambda: hourglass.checkpoint("x" * 3000),
    lambda: hourglass.checkpoint(float("nan")),
    lambda: hourglass.checkpoint(object()),
    lambda: hourglass.progress(1.5),
    lambda: hourglass.progress("half"),
)]`,
    ['ValueError', 'ValueError', 'TypeError', 'ValueError', 'ValueError'],
  ],
  [
    'javascript',
    `
const name = (call) => { try { call(); } catch (error) { return error.name; } };
result = [
  () => hourglass.checkpoint('x'.repeat(3000)),
  () => hourglass.checkpoint(undefined),
  () => hourglass.progress(1.5),
  () => hourglass.progress('half'),
].map(name);`,
    ['RangeError', 'TypeError', 'RangeError', 'RangeError'],
  ],
  [
    'shell',
    `
fails() { "$@" 2>/dev/null && echo no || echo yes; }
result=$(fails hourglass checkpoint "\\"$(printf 'x%.0s' {1..3000})\\""; fails hourglass checkpoint '{'; fails hourglass checkpoint '1 2'
  fails hourglass progress 1.5; fails hourglass progress half; fails hourglass rest)`,
    'yes\nyes\nyes\nyes\nyes\nyes',
  ],
])('%s refuses what is no checkpoint and no progress, and the program goes on', async (language, code, expected) => {
  expect(await run(language, code)).toEqual({
    result: expect.objectContaining({ success: true, result: expected }) as unknown,
  });
});

test('a flood of progress costs the program nothing but its last word', async () => {
  const { progress, result } = await run(
    'python',
    'for n in range(100_001): hourglass.progress(n / 100_000, f"step {n}")',
  );
  expect(result.error).toBeUndefined();
  expect(progress).toEqual({ fraction: 1, message: 'step 100000' });
});

test.each([
  ['no JSON', '{"checkpoint":nonsense}'],
  ['nested too deep', `{"checkpoint":${'['.repeat(300)}${']'.repeat(300)}}`],
  ['more than one value', '{"checkpoint":1,"progress":[1,null]}'],
  ['progress beyond the end', '{"progress":[7,null]}'],
  ['a long line', `{"checkpoint":"${'x'.repeat(5_000)}"}`],
  ['something else', 'hello'],
])('what a program writes past the functions and is %s is dropped', async (_, line) => {
  const code = `import os\nos.write(101, ${JSON.stringify(`${line}\n`)}.encode())\nhourglass.progress(0.5)`;
  expect(await run('python', code)).toMatchObject({ progress: { fraction: 0.5 }, result: { success: true } });
});

test('a message moves no terminal', async () => {
  const { progress } = await run('python', 'hourglass.progress(0.5, "\\x1b[2Jgone")');
  expect(progress?.message).not.toMatch(/\p{Cc}/u);
});

test('forks and threads note, too; a process that is started anew says that it cannot', async () => {
  const forked = await run(
    'python',
    'import os\nif os.fork() == 0:\n    hourglass.checkpoint("child")\n    os._exit(0)\nos.wait()',
  );
  expect(forked.checkpoint).toBe('child');
  const spawned = await run(
    'python',
    `
import multiprocessing
def tell(queue):
    try:
        hourglass.checkpoint(1)
    except RuntimeError as error:
        queue.put(str(error))
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=tell, args=(queue,))
    process.start()
    result = queue.get()
    process.join()`,
  );
  expect(spawned.result.result).toMatch(/notes are taken from the process/);
});

test.each<[Language, string]>([
  ['python', 'result = hourglass'],
  ['javascript', 'result = hourglass;'],
])('an input of that name is what %s means by it', async (language, code) => {
  expect((await run(language, code, 1, { hourglass: 'mine' })).result.result).toBe('mine');
});
