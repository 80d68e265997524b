import type { Language } from '../../src/contract';
import { openTestHost, type TestHost } from '../support/host';
import { program } from './programs/program';

let host: TestHost;

beforeAll(async () => {
  host = await openTestHost({ HOURGLASS_PREWARM: 'python,shell', CANARY: 'secret of the worker' });
});

afterAll(() => host.close());

async function run(language: Language, code: string): Promise<unknown> {
  const result = await host.run({ language, code });
  expect(result.error).toBeUndefined();
  return result.result;
}

/** The lines of /proc/self/status that say what a process may do, as JSON. */
const STATUS: Readonly<Record<Language, string>> = {
  python: 'result = [line.split() for line in open("/proc/self/status")]',
  javascript: `result = require('fs').readFileSync('/proc/self/status', 'utf8').trim().split('\\n').map((l) => l.split(/\\s+/).filter(Boolean))`,
  typescript: `import { readFileSync } from 'node:fs';
const lines: string[] = readFileSync('/proc/self/status', 'utf8').trim().split('\\n');
const result: string[][] = lines.map((line: string) => line.split(/\\s+/).filter(Boolean));`,
  shell: `result=$(jq -R 'split("\\t") | join(" ") | split(" ") | map(select(. != ""))' /proc/self/status | jq -s .)`,
};

describe.each(Object.entries(STATUS))('a %s program', (language, code) => {
  test('R03: has no right beyond its own: no capability, no way to gain one, a filter, a plain user', async () => {
    const lines = (await run(language as Language, code)) as string[][];
    const status = Object.fromEntries(lines.map(([name = '', ...values]) => [name, values]));
    const zero = ['0000000000000000'];
    expect(status).toMatchObject({
      'CapInh:': zero,
      'CapPrm:': zero,
      'CapEff:': zero,
      'CapBnd:': zero,
      'CapAmb:': zero,
      'NoNewPrivs:': ['1'],
      'Seccomp:': ['2'],
      'Uid:': ['10001', '10001', '10001', '10001'],
      'Gid:': ['10001', '10001', '10001', '10001'],
      'Groups:': ['10001'],
    });
  });
});

/** A promise, a Python program that looks for the opposite, and the result that keeps it. */
type Promised = readonly [promise: string, code: string, result: unknown];

const ATTEMPT = `
import os, errno
def attempt(action):
    try:
        action()
        return 'allowed'
    except OSError as error:
        return errno.errorcode[error.errno]
`;

const FILES: readonly Promised[] = [
  [
    'R02: the root is read-only',
    `${ATTEMPT}
paths = ['/x', '/etc/x', '/usr/bin/x', '/opt/hourglass/x', '/home/x', '/var/tmp/x', '/run/x', '/proc/x', '/sys/x', '/dev/x']
result = sorted({attempt(lambda: open(path, 'w')) for path in paths} - {'EROFS', 'EACCES', 'ENOENT'})`,
    [],
  ],
  [
    'R02: nothing but three file systems is writable',
    `
import os
def writable(path):
    return os.path.isdir(path) and os.access(path, os.W_OK)
result = sorted(root for root, dirs, _ in os.walk('/') if not root.startswith('/proc/') and writable(root) and not root.startswith('/tmp/'))`,
    ['/dev/mqueue', '/dev/shm', '/sandbox', '/tmp'],
  ],
  [
    'R02: they run nothing, and their bytes and inodes are bounded',
    `
import os
result = {}
for line in open('/proc/mounts'):
    _, path, kind, options, *_ = line.split()
    if path in ('/sandbox', '/tmp', '/dev/shm'):
        facts = os.statvfs(path)
        safe = {'noexec', 'nosuid', 'nodev'} <= set(options.split(','))
        result[path] = [kind, safe, facts.f_blocks * facts.f_frsize >> 20, facts.f_files]`,
    {
      '/sandbox': ['tmpfs', true, 128, 16384],
      '/tmp': ['tmpfs', true, 64, 2048],
      '/dev/shm': ['tmpfs', true, 16, 1024],
    },
  ],
  [
    'R02: a program that it wrote cannot be executed',
    `${ATTEMPT}
import shutil, subprocess
results = []
for folder in ('/sandbox', '/tmp', '/dev/shm'):
    path = shutil.copy('/usr/bin/true', folder + '/true')
    os.chmod(path, 0o755)
    results.append(attempt(lambda: subprocess.run([path])))
result = results`,
    ['EACCES', 'EACCES', 'EACCES'],
  ],
  ['R05: message queues cannot be made', `${ATTEMPT}\nresult = attempt(lambda: open('/dev/mqueue/x', 'w'))`, 'EMFILE'],
  [
    'R03: devices cannot be made, nor does the engine listen anywhere',
    `${ATTEMPT}
import stat
made = attempt(lambda: os.mknod('/tmp/device', stat.S_IFBLK | 0o600, os.makedev(8, 0)))
sockets = [path for path in ('/var/run/docker.sock', '/run/docker.sock', '/run/containerd') if os.path.exists(path)]
result = [made, sockets]`,
    ['EPERM', []],
  ],
  [
    'R03: devices are those that every program needs',
    `
import os, stat
found = (os.path.join('/dev', name) for name in os.listdir('/dev'))
result = sorted(path for path in found if stat.S_ISBLK(os.stat(path).st_mode) or stat.S_ISCHR(os.stat(path).st_mode))`,
    ['/dev/full', '/dev/null', '/dev/ptmx', '/dev/random', '/dev/tty', '/dev/urandom', '/dev/zero'],
  ],
  [
    'R03: kernel settings and facts about the host are out of reach',
    `${ATTEMPT}
settings = ['/proc/sys/kernel/hostname', '/proc/sys/vm/drop_caches', '/proc/sysrq-trigger', '/proc/sys/kernel/core_pattern']
written = {attempt(lambda: open(path, 'w')) for path in settings}
def readable(path):
    try:
        return bool(open(path, 'rb').read(1))
    except OSError:
        return False
masked = ['/proc/kcore', '/proc/keys', '/proc/cmdline', '/proc/interrupts', '/proc/diskstats', '/proc/kallsyms', '/proc/timer_list']
result = [sorted(written - {'EROFS', 'EACCES', 'ENOENT'}), [path for path in masked if readable(path)]]`,
    [[], []],
  ],
];

const LOOK = `${ATTEMPT}\n${program('look.py')}`;

const PROCESSES: readonly Promised[] = [
  [
    'R16: the guest cannot be read, traced or signalled into the program’s hands',
    `${LOOK}\nresult = [seen(1), sorted(set(opened(1)) - {'EACCES', 'EPERM'})]`,
    [[], []],
  ],
  [
    'R16: a program reads itself and a child of its own, which it stops and ends',
    `${LOOK}
import signal, subprocess
child = subprocess.Popen(['sleep', '600'])
hidden = {'environ', 'maps', 'cwd', 'root', 'fd', 'exe', 'auxv'} - (set(seen('self')) & set(seen(child.pid)))
closed = {*opened('self'), *opened(child.pid)} - {'allowed'}
child.send_signal(signal.SIGSTOP)
stopped = os.WIFSTOPPED(os.waitpid(child.pid, os.WUNTRACED)[1])
child.kill()
result = [sorted(hidden), sorted(closed), stopped, child.wait()]`,
    [[], [], true, -9],
  ],
  [
    'R16: no other process is in sight',
    `
import os
result = sorted({open(f'/proc/{name}/comm').read().strip() for name in os.listdir('/proc') if name.isdigit()})`,
    ['python3'],
  ],
  [
    'R41: the environment holds nothing of the worker',
    `
import os
text = ' '.join([*os.environ, *os.environ.values()])
result = [name for name in ('CANARY', 'secret of the worker', 'HOURGLASS', 'TEMPORAL', 'DOCKER', 'AWS') if name in text]`,
    [],
  ],
  [
    'R05: limits of a process are those of the policy',
    `
import resource
names = ('CORE', 'NOFILE', 'MSGQUEUE', 'FSIZE')
result = {name: resource.getrlimit(getattr(resource, 'RLIMIT_' + name, 12)) for name in names}`,
    { CORE: [0, 0], NOFILE: [1024, 1024], MSGQUEUE: [0, 0], FSIZE: [269 * 2 ** 20, 269 * 2 ** 20] },
  ],
  [
    'R05: where the host runs out of memory, the program goes first',
    'result = int(open("/proc/self/oom_score_adj").read()) >= 500',
    true,
  ],
];

const NETWORK: readonly Promised[] = [
  [
    'R06: there is no interface but the loopback, and no route',
    `
import socket
result = [[name for _, name in socket.if_nameindex()], open('/proc/net/route').read().splitlines()[1:]]`,
    [['lo'], []],
  ],
  [
    'R06: nothing is reached, by TCP, by UDP or by name',
    `${ATTEMPT}
import socket
def tcp(host):
    socket.create_connection((host, 80), timeout=3)
def udp(host):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', (host, 53))
outside = ['1.1.1.1', '169.254.169.254', '10.0.0.1', '172.17.0.1', '192.168.0.1']
reached = {attempt(lambda: call(host)) for call in (tcp, udp) for host in outside}
try:
    socket.getaddrinfo('example.com', 80)
    name = 'resolved'
except socket.gaierror:
    name = 'unknown'
result = [sorted(reached), name]`,
    [['ENETUNREACH'], 'unknown'],
  ],
  [
    'R06: name servers and name of the host are not told',
    `
import socket
result = [open('/etc/resolv.conf').read().split(), socket.gethostname(), open('/proc/self/cgroup').read().count('docker')]`,
    [[], 'sandbox', 0],
  ],
  [
    'R06: a server and a client inside of it find each other',
    `
import socket
server = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(server.getsockname())
server.accept()[0].sendall(b'hello')
result = client.recv(5).decode()`,
    'hello',
  ],
];

describe.each([
  ['files', FILES],
  ['processes', PROCESSES],
  ['network', NETWORK],
] as const)('%s', (_, promises) => {
  test.each(promises)('%s', async (_promise, code, expected) => {
    expect(await run('python', code)).toEqual(expected);
  });
});

test.each([
  [
    'python',
    `
import socket
server = socket.create_server(('localhost', 0))
client = socket.create_connection(('localhost', server.getsockname()[1]))
server.accept()[0].sendall(b'hello')
result = client.recv(5).decode()`,
  ],
  [
    'javascript',
    `
const net = require('net');
const server = net.createServer((socket) => socket.end('hello')).listen(0, 'localhost');
await new Promise((resolve) => server.once('listening', resolve));
const client = net.connect(server.address().port, 'localhost');
const result = await new Promise((resolve) => client.once('data', (data) => resolve(String(data))));
server.close();`,
  ],
  ['shell', 'result=$(getent ahosts localhost | grep -q "^127.0.0.1 " && echo hello)'],
] as const)('R06: localhost is a name in %s', async (language, code) => {
  expect(await run(language, code)).toBe('hello');
});

test('R09: the image holds no set-id file, no compiler, no package manager and no network tool', async () => {
  const unwanted =
    'gcc cc g++ make apt apt-get dpkg pip pip3 npm npx curl wget nc ncat ssh socat telnet ping sudo gdb strace';
  const code = `
setid=$(find / -xdev -type f -perm /6000 2>/dev/null | wc -l)
tools=$(for tool in ${unwanted}; do command -v "$tool" || true; done)
result="[$setid, \\"$tools\\"]"`;
  expect(await run('shell', code)).toEqual([0, '']);
});
