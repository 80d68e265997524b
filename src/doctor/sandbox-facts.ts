import { z } from 'zod';
import { inSandbox, PROBE_SPEC, type ProbePlace } from './probe';

const FACTS_TIMEOUT_MS = 20_000;
/** More than the facts have, so that nothing of them is cut. */
const LINE_BYTES = 32 * 1024;

/**
 * Prints on one line what a sandbox is as seen from inside, and then does nothing but refuse to end.
 *
 * Of the calls, `splice` of nothing and `kcmp` are harmless and allowed by the default filters of engines: where they
 * pass, the filter is not ours. `getpid` shows that a call is made at all.
 */
export const FACTS_CODE = `
import ctypes, errno, json, os, platform, signal, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
column = 1 if platform.machine() == 'aarch64' else 0
def call(numbers, *args):
    ctypes.set_errno(0)
    value = libc.syscall(ctypes.c_long(numbers[column]), *map(ctypes.c_long, args))
    return 'OK' if value >= 0 else errno.errorcode.get(ctypes.get_errno(), 'unknown')
def attempt(action):
    try:
        action()
        return 'OK'
    except OSError as error:
        return errno.errorcode.get(error.errno, 'unknown')
def read(*paths):
    for path in paths:
        try:
            return open(path).read().split()
        except OSError:
            pass
def number(words):
    return int(words[0]) if words and words[0].isdigit() else None
def up(name):
    words = read(f'/sys/class/net/{name}/flags')
    return words is None or int(words[0], 16) & 1 == 1
status = dict(line.split(':', 1) for line in open('/proc/self/status'))
mounts = {}
for line in open('/proc/mounts'):
    _, path, kind, options, *_ = line.split()
    facts = os.statvfs(path) if path in ('/', '/sandbox', '/tmp', '/dev/shm') else None
    if facts:
        mounts[path] = {'kind': kind, 'options': options.split(','), 'bytes': facts.f_blocks * facts.f_frsize, 'inodes': facts.f_files}
root = '/sys/fs/cgroup'
quota = read(f'{root}/cpu.max') or [(read(f'{root}/cpu/cpu.cfs_{name}_us') or [''])[0] for name in ('quota', 'period')]
visible = any(os.path.exists(f'{root}/{path}') for path in ('memory.max', 'memory/memory.limit_in_bytes'))
facts = {
    'kernel': platform.release(),
    'uid': os.getuid(),
    'seccomp': number(status.get('Seccomp', '').split()),
    'noNewPrivileges': number(status.get('NoNewPrivs', '').split()),
    'capabilities': {name: status[name].strip() for name in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb') if name in status},
    'calls': {
        'keyctl': call((250, 219), 0, -2, 0),
        'io_uring_setup': call((425, 425), 1, 0),
        'splice': call((275, 76), 0, 0, 0, 0, 0, 0),
        'kcmp': call((312, 272), os.getpid(), os.getpid(), 0, 0, 0),
        'getpid': call((39, 172)),
    },
    'rootWrite': attempt(lambda: open('/probe', 'w').close()),
    'mounts': mounts,
    'interfaces': [name for _, name in socket.if_nameindex() if up(name)],
    'connect': attempt(lambda: socket.create_connection(('192.0.2.1', 53), 2).close()),
    'cgroup': {
        'memoryBytes': number(read(f'{root}/memory.max', f'{root}/memory/memory.limit_in_bytes')),
        'pids': number(read(f'{root}/pids.max', f'{root}/pids/pids.max')),
        'cpuCores': int(quota[0]) / int(quota[1]) if quota[0].isdigit() else None,
    } if visible else None,
}
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(json.dumps(facts), flush=True)
while True:
    pass
`;

const factsSchema = z.object({
  kernel: z.string().max(256),
  uid: z.number(),
  seccomp: z.number().nullable(),
  noNewPrivileges: z.number().nullable(),
  capabilities: z.record(z.string(), z.string()),
  calls: z.record(z.string(), z.string()),
  rootWrite: z.string(),
  mounts: z.record(
    z.string(),
    z.object({ kind: z.string(), options: z.array(z.string()), bytes: z.number(), inodes: z.number() }),
  ),
  interfaces: z.array(z.string()),
  connect: z.string(),
  cgroup: z
    .object({ memoryBytes: z.number().nullable(), pids: z.number().nullable(), cpuCores: z.number().nullable() })
    .nullable(),
});

/** What a sandbox is, seen from inside. */
export type SandboxFacts = z.infer<typeof factsSchema> & {
  /** From the order to end the program until the sandbox said that every process was dead, in ms. */
  readonly killMs: number;
};

/** Told what it wanted to know, the probe ends its program by this. */
class Told extends Error {}

/**
 * Asks a new sandbox what it is and measures how long its program takes to be dead.
 *
 * Rejects with HourglassError where the sandbox does not boot or says nothing, or with the signal's reason.
 */
export function askSandbox(place: ProbePlace): Promise<SandboxFacts> {
  return inSandbox(place, PROBE_SPEC, async ({ run }) => {
    const stop = new AbortController();
    const abort = (): void => stop.abort(place.signal.reason);
    place.signal.addEventListener('abort', abort, { once: true });
    let line = '';
    let toldAt = 0;
    const onOutput = (stream: string, chunk: Buffer): void => {
      if (stream === 'stdout') line += chunk.toString();
      if (!line.includes('\n') || stop.signal.aborted) return;
      toldAt = performance.now();
      stop.abort(new Told());
    };
    const probe = { code: FACTS_CODE, spec: PROBE_SPEC, timeoutMs: FACTS_TIMEOUT_MS, maxOutputBytes: LINE_BYTES };
    try {
      const { error } = await run(probe, { onOutput }, stop.signal);
      throw new Error(`the probe ended without an answer: ${error?.message ?? 'no reason'}`);
    } catch (error) {
      if (!(error instanceof Told)) throw error;
      const killMs = performance.now() - toldAt;
      return { ...factsSchema.parse(JSON.parse(line)), killMs };
    } finally {
      place.signal.removeEventListener('abort', abort);
    }
  });
}
