import { openTestHost, type TestHost } from '../support/host';
import { onBoth, REFUSED, type Call } from '../support/system-calls';
import { program } from './programs/program';

let host: TestHost;

beforeAll(async () => {
  host = await openTestHost({ HOURGLASS_PREWARM: 'python' });
});

afterAll(() => host.close());

const ALLOWED: readonly Call[] = [
  ['socket AF_UNIX', [41, 198], [1, 1, 0]],
  ['socket TCP', [41, 198], [2, 1, 6]],
  ['socket UDP over IPv6', [41, 198], [10, 2, 17]],
  ['socket TCP, non-blocking and close-on-exec', [41, 198], [2, 0x8_0801, 0]],
  ['socket NETLINK_ROUTE', [41, 198], [16, 3, 0]],
  ['personality, asked', [135, 92], [0xffff_ffff]],
  ['prlimit64 of itself', [302, 261], [0, 7, 0, 0]],
  ['setpriority of itself', [141, 140], [0, 0, 0]],
  ['getpid', [39, 172], []],
];

/** Families that programs need; every other one that the kernel may know is refused. */
const FAMILIES = new Set([1, 2, 10, 16]);
const RARE: readonly Call[] = Array.from({ length: 46 }, (_, family) => family)
  .filter((family) => !FAMILIES.has(family))
  .flatMap((family) =>
    [1, 2, 3, 5].map((type): Call => [`family ${family}, type ${type}`, [41, 198], [family, type, 0]]),
  );

// What makes the calls is Python in every language; its parent, and so its filter, is the language's own program.
const CHILD = `import json, sys\ncalls = json.load(sys.stdin)\n${program('seccomp.py')}\nprint(json.dumps(result))`;
const PROGRAMS = {
  python: program('seccomp.py'),
  javascript: `const { execFileSync } = require('child_process');
const options = { input: JSON.stringify(inputs.calls), encoding: 'utf8' };
result = JSON.parse(execFileSync('python3', ['-c', inputs.child], options))`,
  typescript: `import { execFileSync } from 'node:child_process';
const options = { input: JSON.stringify(inputs.calls), encoding: 'utf8' as const };
const result: Record<string, string> = JSON.parse(execFileSync('python3', ['-c', inputs.child as string], options));`,
  shell: `result=$(jq -c .calls "$HOURGLASS_INPUTS" | python3 -c "$child")`,
} as const;
type ProgramLanguage = keyof typeof PROGRAMS;
const LANGUAGES = Object.keys(PROGRAMS) as ProgramLanguage[];

async function attempt(calls: readonly Call[], language: ProgramLanguage = 'python'): Promise<unknown> {
  const inputData = { calls: calls.map(([name, numbers, args]) => [name, [...numbers], [...args]]), child: CHILD };
  const result = await host.run({ language, code: PROGRAMS[language], inputData });
  expect(result.error).toBeUndefined();
  return result.result;
}

test.each(LANGUAGES)('R04: every system call that no program needs reads EPERM from %s', async (language) => {
  const calls = [...REFUSED, ...RARE];
  expect(await attempt(calls, language)).toEqual(Object.fromEntries(calls.map(([name]) => [name, 'EPERM'])));
});

test.each(LANGUAGES)('R04: look-alikes that programs need are allowed from %s', async (language) => {
  expect(await attempt(ALLOWED, language)).toEqual(Object.fromEntries(ALLOWED.map(([name]) => [name, 'allowed'])));
});

test('R04: limits of any other process, a child of its own included, cannot be changed', async () => {
  const code = `
import errno, os, resource, subprocess
child = subprocess.Popen(['sleep', '60'])
def attempt(pid):
    try:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (5, 5))
        return 'allowed'
    except OSError as error:
        return errno.errorcode[error.errno]
result = [attempt(1), attempt(child.pid), attempt(os.getppid()), attempt(0)]
child.kill()`;
  expect((await host.run({ language: 'python', code })).result).toEqual(['EPERM', 'EPERM', 'EPERM', 'allowed']);
});

test('R04: clone3 and calls that are newer than the profile read ENOSYS, so that libraries fall back', async () => {
  const unknown: Call[] = [
    ['clone3', onBoth(435), [0, 0]],
    ['a call of the future', onBoth(600), []],
  ];
  expect(await attempt(unknown)).toEqual({ clone3: 'ENOSYS', 'a call of the future': 'ENOSYS' });
});

const FOREIGN = `${program('foreign-abi.py')}\nprint(*result)`;

test.each([
  ['python', program('foreign-abi.py'), ['SIGSYS', 'SIGSYS']],
  [
    'javascript',
    `result = require('child_process').execFileSync('python3', ['-c', inputs.child]).toString().trim()`,
    'SIGSYS SIGSYS',
  ],
  [
    'typescript',
    `import { execFileSync } from 'node:child_process';
const result: string = execFileSync('python3', ['-c', inputs.child as string]).toString().trim();`,
    'SIGSYS SIGSYS',
  ],
  ['shell', 'result=$(python3 -c "$child")', 'SIGSYS SIGSYS'],
] as const)(
  'R04: the 32-bit and the x32 interface of the kernel end the process that uses them, in %s',
  async (language, code, expected) => {
    const { result } = await host.run({ language, code, inputData: { child: FOREIGN } });
    expect(result).toEqual(expected);
  },
);

test('R04: what Python programs really do is not hindered', async () => {
  const request = {
    language: 'python',
    code: program('libraries.py'),
    resourceLimits: { memoryMb: 1024, cpuCores: 2 },
  } as const;
  const { result, error } = await host.run(request);
  expect(error).toBeUndefined();
  expect(result).toEqual(['numeric', 'pictures', 'processes', 'system']);
});

test('R04: what Node programs really do is not hindered', async () => {
  const { result, error } = await host.run({ language: 'javascript', code: program('node.js') });
  expect(error).toBeUndefined();
  expect(result).toEqual(['thread', 'served', 'child', ['lo']]);
});
