import { openTestHost, type TestHost } from '../support/host';
import { program } from './programs/program';

let host: TestHost;

beforeAll(async () => {
  host = await openTestHost({ HOURGLASS_PREWARM: 'python' });
});

afterAll(() => host.close());

/** Name, number on x86-64 and on arm64 (null: not there), arguments. */
type Call = readonly [name: string, numbers: readonly [number | null, number | null], args: readonly number[]];

const NEWUSER = 0x1000_0000;
const SIGCHLD = 17;
const both = (number: number): readonly [number, number] => [number, number];

const REFUSED: readonly Call[] = [
  ['io_uring_setup', both(425), [1, 0]],
  ['io_uring_enter', both(426), [0]],
  ['io_uring_register', both(427), [0]],
  ['io_setup', [206, 0], [1, 0]],
  ['bpf', [321, 280], [0, 0, 0]],
  ['perf_event_open', [298, 241], [0, 0, -1, -1, 0]],
  ['userfaultfd', [323, 282], [1]],
  ['memfd_secret', both(447), [0]],
  ['ptrace TRACEME', [101, 117], [0, 0, 0, 0]],
  ['process_vm_readv', [310, 270], [1, 0, 0, 0, 0, 0]],
  ['process_vm_writev', [311, 271], [1, 0, 0, 0, 0, 0]],
  ['process_madvise', both(440), [0, 0, 0, 0, 0]],
  ['process_mrelease', both(448), [0, 0]],
  ['pidfd_getfd', both(438), [0, 0, 0]],
  ['kcmp', [312, 272], [1, 1, 0, 0, 0]],
  ['prlimit64 of the guest', [302, 261], [1, 7, 0, 0]],
  ['unshare', [272, 97], [NEWUSER]],
  ['setns', [308, 268], [0, 0]],
  ['clone with a user namespace', [56, 220], [NEWUSER | SIGCHLD, 0, 0, 0, 0]],
  ['mount', [165, 40], [0, 0, 0, 0, 0]],
  ['umount2', [166, 39], [0, 0]],
  ['pivot_root', [155, 41], [0, 0]],
  ['chroot', [161, 51], [0]],
  ['open_tree', both(428), [0, 0, 0]],
  ['move_mount', both(429), [0, 0, 0, 0, 0]],
  ['fsopen', both(430), [0, 0]],
  ['fsconfig', both(431), [0, 0, 0, 0, 0]],
  ['fsmount', both(432), [0, 0, 0]],
  ['fspick', both(433), [0, 0, 0]],
  ['mount_setattr', both(442), [0, 0, 0, 0, 0]],
  ['add_key', [248, 217], [0, 0, 0, 0, 0]],
  ['request_key', [249, 218], [0, 0, 0, 0]],
  ['keyctl', [250, 219], [0, 0]],
  ['personality READ_IMPLIES_EXEC', [135, 92], [0x40_0000]],
  ['modify_ldt', [154, null], [0, 0, 0]],
  ['iopl', [172, null], [3]],
  ['ioperm', [173, null], [0, 1, 1]],
  ['name_to_handle_at', [303, 264], [0, 0, 0, 0, 0]],
  ['open_by_handle_at', [304, 265], [0, 0, 0]],
  ['quotactl', [179, 60], [0, 0, 0, 0]],
  ['quotactl_fd', both(443), [0, 0, 0, 0]],
  ['syslog', [103, 116], [3, 0, 0]],
  ['swapon', [167, 224], [0, 0]],
  ['kexec_load', [246, 104], [0, 0, 0, 0]],
  ['init_module', [175, 105], [0, 0, 0]],
  ['finit_module', [313, 273], [0, 0, 0]],
  ['acct', [163, 89], [0]],
  ['reboot', [169, 142], [0, 0, 0, 0]],
  ['sethostname', [170, 161], [0, 0]],
  ['settimeofday', [164, 170], [0, 0]],
  ['clock_settime', [227, 112], [0, 0]],
  ['clock_adjtime', [305, 266], [0, 0]],
  ['fanotify_init', [300, 262], [0, 0]],
  ['lookup_dcookie', [212, 18], [0, 0, 0]],
  ['mbind', [237, 235], [0, 0, 0, 0, 0, 0]],
  ['move_pages', [279, 239], [0, 0, 0, 0, 0, 0]],
  ['splice', [275, 76], [0, 0, 0, 0, 0, 0]],
  ['vmsplice', [278, 75], [0, 0, 0, 0]],
  ['tee', [276, 77], [0, 0, 0, 0]],
  ['shmget', [29, 194], [0, 4096, 0o1600]],
  ['semget', [64, 190], [0, 1, 0o1600]],
  ['msgget', [68, 186], [0, 0o1600]],
  ['mq_open', [240, 180], [0, 0, 0, 0]],
  ['sync', [162, 81], []],
  ['syncfs', [306, 267], [0]],
  ['socket AF_ALG', [41, 198], [38, 5, 0]],
  ['socket AF_VSOCK', [41, 198], [40, 1, 0]],
  ['socket AF_PACKET', [41, 198], [17, 2, 0]],
  ['socket AF_BLUETOOTH', [41, 198], [31, 5, 0]],
  ['socket AF_CAN', [41, 198], [29, 2, 0]],
  ['socket AF_TIPC', [41, 198], [30, 1, 0]],
  ['socket AF_RDS', [41, 198], [21, 5, 0]],
  ['socket AF_KEY', [41, 198], [15, 3, 2]],
  ['socket AF_XDP', [41, 198], [44, 3, 0]],
  ['socket AF_SMC', [41, 198], [43, 1, 0]],
  ['socketpair AF_TIPC', [53, 199], [30, 1, 0, 0]],
  ['socket raw', [41, 198], [2, 3, 1]],
  ['socket ping', [41, 198], [2, 2, 1]],
  ['socket MPTCP', [41, 198], [2, 1, 262]],
  ['socket SCTP', [41, 198], [2, 1, 132]],
  ['socket UDP-Lite', [41, 198], [2, 2, 136]],
  ['socket NETLINK_NETFILTER', [41, 198], [16, 3, 12]],
  ['socket NETLINK_GENERIC', [41, 198], [16, 3, 16]],
  ['socket with a family above 32 bits', [41, 198], [2 ** 40 + 2, 2, 0]],
];

const ALLOWED: readonly Call[] = [
  ['socket AF_UNIX', [41, 198], [1, 1, 0]],
  ['socket TCP', [41, 198], [2, 1, 6]],
  ['socket UDP over IPv6', [41, 198], [10, 2, 17]],
  ['socket TCP, non-blocking and close-on-exec', [41, 198], [2, 0x8_0801, 0]],
  ['socket NETLINK_ROUTE', [41, 198], [16, 3, 0]],
  ['personality, asked', [135, 92], [0xffff_ffff]],
  ['prlimit64 of itself', [302, 261], [0, 7, 0, 0]],
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
    ['clone3', both(435), [0, 0]],
    ['a call of the future', both(600), []],
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
