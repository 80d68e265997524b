import { type LanguageCase } from '../contract/cases/case';
import type { Language } from '../../src/contract';

/** One attack: what it tries, and what comes of it. */
export interface Attack extends LanguageCase {
  readonly language: Language;
}

const TRY = `
def attempt(action):
    try:
        return action() or "done"
    except OSError as e:
        import errno
        return errno.errorcode[e.errno]
`;

/** Stops its children, each in a session of its own, and then itself. */
export const STOPPED_TREE = `
import os, signal
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        os.kill(os.getpid(), signal.SIGSTOP)
os.kill(os.getpid(), signal.SIGSTOP)`;

/** Attempts to reach the guest, which shares the program's uid. */
const ON_THE_GUEST: readonly Attack[] = [
  {
    title: 'R16: memory, environment and descriptors of the guest are closed',
    language: 'python',
    code: `${TRY}import os\nresult = [attempt(lambda p=p: open(p, "rb").read(1) and None) for p in ("/proc/1/mem", "/proc/1/environ", "/proc/1/fd/0", "/proc/1/fd/1")]`,
    expect: { exitCode: 0, result: ['EACCES', 'EACCES', 'EACCES', 'EACCES'] },
  },
  {
    title: 'R16: the guest cannot be killed or stopped',
    language: 'python',
    code: 'import os, signal\nfor s in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGSEGV, signal.SIGUSR1):\n    os.kill(1, s)\nresult = "still here"',
    expect: { exitCode: 0, result: 'still here' },
  },
  {
    title: 'R16: the limits of the guest cannot be changed',
    language: 'python',
    code: `${TRY}import resource\nresult = attempt(lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0)) and None)`,
    expect: { result: 'EPERM' },
  },
  {
    title: 'R18: frames written to every descriptor forge nothing',
    language: 'python',
    code: `import os, struct
frame = b"HG" + bytes([1, 0x88]) + struct.pack(">II", 0, 2) + b"{}"
for fd in range(64):
    try:
        os.write(fd, frame)
    except OSError:
        pass
result = "mine"`,
    expect: { exitCode: 0, result: 'mine', stdoutIncludes: ['HG'] },
  },
  {
    title: 'R18: a report with an impossible result is refused',
    language: 'python',
    code: `import os
for fd in range(3, 64):
    try:
        os.write(fd, b'{"v":1,"hasResult":true,"source":"variable","error":null,"warnings":[]}\\n' + b"[" * 100000)
    except OSError:
        pass
os._exit(0)`,
    expect: { result: null },
  },
  {
    title: 'R22: a report whose result is wider than any value of a program is refused',
    language: 'python',
    code: `import os
rest = memoryview(b'{"v":1,"hasResult":true,"source":"variable","error":null,"warnings":[]}\\n[' + b'[],' * 5_000_000 + b'[]]')
while rest:
    rest = rest[os.write(100, rest):]
os._exit(0)`,
    expect: {
      exitCode: 1,
      result: null,
      errorCode: 'RUNTIME_ERROR',
      errorMessageIncludes: ['more than 1000000 elements'],
    },
  },
  {
    title: 'R17: output that looks like a result of other systems is text',
    language: 'shell',
    code: 'echo __FM_RESULT_START__; echo \'{"a":1}\'; echo __FM_RESULT_END__; result=mine',
    expect: { result: 'mine', stdoutIncludes: ['__FM_RESULT_START__'] },
  },
];

/** Attempts on the container and the kernel. */
const ON_THE_WALLS: readonly Attack[] = [
  {
    title: 'R02: the root file system cannot be written',
    language: 'shell',
    code: 'set +e; for d in / /etc /usr /opt/hourglass/guest /var /root /proc /sys; do touch $d/x 2>/dev/null && echo "wrote $d"; done; echo end',
    expect: { stdout: 'end\n' },
  },
  {
    title: 'R02: rm -rf / removes nothing but the program’s own files',
    language: 'shell',
    code: 'set +e; rm -rf --no-preserve-root / >/dev/null 2>&1; [ $(ls /usr/bin | wc -l) -gt 100 ] && echo intact',
    expect: { stdout: 'intact\n' },
  },
  {
    title: 'R06: no network can be reached',
    language: 'python',
    code: `${TRY}import socket
def udp():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("203.0.113.1", 53))
def tcp():
    socket.create_connection(("203.0.113.1", 80), 3)
def dns():
    socket.getaddrinfo("example.com", 80)
result = []
for f in (udp, tcp, dns):
    try:
        f(); result.append("reached")
    except OSError:
        result.append("closed")`,
    expect: { result: ['closed', 'closed', 'closed'] },
  },
  {
    title: 'R04: namespaces, mounts and tracing are refused',
    language: 'python',
    code: `import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    return getattr(libc, name)(*args) == -1
result = [call("unshare", 0x10000000), call("mount", b"none", b"/tmp", b"tmpfs", 0, None), call("ptrace", 16, 1, 0, 0), call("setuid", 0), call("chroot", b"/tmp")]`,
    expect: { result: [true, true, true, true, true] },
  },
  {
    title: 'R02: inodes run out before memory does',
    language: 'python',
    code: `import errno
n = 0
try:
    for n in range(500_000):
        open(f"f{n}", "w").close()
except OSError as e:
    result = errno.errorcode[e.errno]`,
    request: { timeout: 60_000 },
    expect: { exitCode: 0, result: 'ENOSPC' },
  },
  {
    title: 'R02: shared memory is bounded',
    language: 'shell',
    code: 'set +e; head -c 100M /dev/zero > /dev/shm/x 2>/dev/null; [ $(stat -c %s /dev/shm/x) -le 16777216 ] && result=bounded',
    expect: { result: 'bounded' },
  },
  {
    title: 'R41: no secret of the worker is inside',
    language: 'shell',
    code: 'env | cut -d= -f1 | sort | tr "\\n" " "; ls /var/run/docker.sock /run/docker.sock 2>/dev/null || true; echo end',
    expect: {
      exitCode: 0,
      stdoutExcludes: ['DOCKER', 'TEMPORAL', 'AWS', 'HOSTNAME', 'docker.sock'],
      stdoutIncludes: ['end'],
    },
  },
];

/** Each of them changes a prototype where it is merged into an object. */
const HOSTILE_NAMES =
  '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "prototype": {"polluted": 1}, "toString": 1}';

/** Attempts on the worker by what comes back. */
export const ON_THE_WORKER: readonly Attack[] = [
  {
    title: 'R42: a result with hostile names stays data',
    language: 'javascript',
    code: `result = JSON.parse('${HOSTILE_NAMES}');`,
    expect: { exitCode: 0, result: JSON.parse(HOSTILE_NAMES) },
  },
  {
    title: 'terminal control characters stay characters',
    language: 'shell',
    code: "printf '\\033]0;title\\007\\033[2J\\000end'",
    expect: { stdoutIncludes: ['\u001b]0;title', '\u0000end'] },
  },
  {
    title: 'R27: more output files than a result can name are refused',
    language: 'shell',
    code: 'set +e; mkdir many; for i in $(seq 2000); do : > many/$i.txt; done; echo made',
    request: { outputFiles: [{ sandboxPath: 'many/*.txt' }] },
    expect: { stdout: 'made\n', errorCode: 'OUTPUT_FILE_ERROR', errorMessageIncludes: ['2000', '500'] },
  },
  {
    title: 'R27: paths that are longer than any workspace takes fill neither a frame nor the worker',
    language: 'python',
    code: `import os
for _ in range(60):
    os.mkdir('\\x01' * 250)
    os.chdir('\\x01' * 250)
for n in range(600):
    open(f'{n}' + '\\x02' * 240, 'w').close()
open('/sandbox/good.txt', 'w').write('x')`,
    request: { outputFiles: [{ sandboxPath: '**' }] },
    expect: { exitCode: 0, saved: [], warningsInclude: ['and not all', 'longer than 1024 bytes', 'and 5'] },
  },
  {
    title: 'R26: file names of every kind do no harm',
    language: 'python',
    code: 'import os\nfor name in ("a b.txt", "-rf.txt", "ü.txt", "a\\nb.txt", "back\\\\slash.txt", "😀.txt"):\n    open(name, "w").write("x")\nopen(b"\\xff\\xfe.txt", "w").write("x")',
    request: { outputFiles: [{ sandboxPath: '*.txt' }] },
    expect: { exitCode: 0, saved: ['a b.txt', '-rf.txt', 'ü.txt', '😀.txt'] },
  },
  {
    title: 'R23: an error message of megabytes is cut',
    language: 'python',
    code: 'raise ValueError("x" * 5_000_000)',
    expect: { errorCode: 'RUNTIME_ERROR', errorType: 'ValueError' },
  },
  {
    title: 'R23: an exception that lies about itself is reported',
    language: 'python',
    code: 'class Evil(Exception):\n    def __str__(self): raise RuntimeError("no")\n    __repr__ = __str__\nraise Evil()',
    expect: { exitCode: 1, errorType: 'Evil' },
  },
  {
    title: 'a program that replaces what the runtime uses is still reported',
    language: 'python',
    code: 'import builtins, json, os, sys, threading\nfor m, n in ((json, "dumps"), (os, "write"), (os, "close"), (sys, "exit"), (threading, "_shutdown"), (builtins, "len"), (builtins, "isinstance")):\n    setattr(m, n, lambda *a, **k: 1 / 0)\nprint("still")',
    expect: { stdoutIncludes: ['still'] },
  },
  {
    title: 'R10: a stopped process tree ends at the timeout',
    language: 'python',
    code: STOPPED_TREE,
    request: { timeout: 1_500 },
    expect: { errorCode: 'TIMEOUT' },
  },
];

export const ATTACKS: readonly Attack[] = [...ON_THE_GUEST, ...ON_THE_WALLS, ...ON_THE_WORKER];
