import { z } from 'zod';
import { sandboxSizes } from '../engine/container/sizes';
import type { SandboxSpec } from '../engine/engine';
import type { ProgramOutcome } from '../runner';
import { failure, pass, warning, type Verdict } from './check';
import { PROBE_SPEC, type Probe } from './probe';

/** A limit, the program that runs into it, and what its outcome says. */
export interface LimitProbe {
  readonly probe: Probe;
  readonly judge: (outcome: ProgramOutcome) => Verdict;
}

const MiB = 2 ** 20;
const TIMEOUT_MS = 20_000;
const IGNORED =
  'the engine takes the limit and does not apply it: check its cgroup driver and the controllers of the host';

const CPU_SHARE = 0.2;
/** Busy loops may get this many times their share: the kernel counts in periods. */
const CPU_TOLERANCE = 1.5;
/** A kernel of its own, as gVisor's, needs many threads for four processes. */
const CPU_PIDS = 256;
const FLOOD_BYTES = 4 * MiB;
const KEPT_BYTES = 64 * 1024;
/** Memory of the guest is an upper bound, so a program gets a little more than it asked for. */
const MEMORY_TOLERANCE_MB = 16;

/** Takes memory step by step and says how much it has; without a limit it ends by itself at twice the limit. */
const MEMORY_CODE = `
blocks = []
for step in range(1, ${(2 * PROBE_SPEC.memoryMb) / 4} + 1):
    blocks.append(bytearray(${4 * MiB}))
    print(step * 4, flush=True)
result = True`;

const DISK_CODE = `
import errno
written, ended = 0, 'no end'
try:
    with open('/sandbox/probe', 'wb', buffering=0) as file:
        while written < ${2 * PROBE_SPEC.diskMb * MiB}:
            written += file.write(bytes(65536))
except OSError as error:
    ended = errno.errorcode[error.errno]
result = [written, ended]`;

const inodes = sandboxSizes(PROBE_SPEC).disk.inodes;
const INODES_CODE = `
import errno
count, ended = 0, 'no end'
try:
    while count < ${2 * inodes}:
        open(f'/sandbox/{count}', 'w').close()
        count += 1
except OSError as error:
    ended = errno.errorcode[error.errno]
result = [count, ended]`;

/** Without a limit the probe ends here: beyond it, memory would be the limit. */
const PIDS_CAP = PROBE_SPEC.maxPids + 10;
const PIDS_CODE = `
import errno, os, time
count, ended = 1, 'no end'
try:
    while count < ${PIDS_CAP}:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        count += 1
except OSError as error:
    ended = errno.errorcode[error.errno]
result = [count, ended]`;

/**
 * Four loops use all they get for a second; also asks for how many periods the kernel bounded them and how often it made
 * them wait, where that can be seen.
 */
const CPU_CODE = `
import os, time
def counts():
    for path in ('/sys/fs/cgroup/cpu.stat', '/sys/fs/cgroup/cpu/cpu.stat'):
        if os.path.exists(path):
            found = dict(line.split() for line in open(path))
            return [int(found.get(name, 0)) for name in ('nr_periods', 'nr_throttled')]
before, start = counts(), time.monotonic()
children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        while time.monotonic() < start + 1:
            pass
        os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
times = os.times()
share = (times.children_user + times.children_system) / (time.monotonic() - start)
result = [share, None if before is None else [now - then for now, then in zip(counts(), before)]]`;

const FLOOD_CODE = `
import sys
for _ in range(${FLOOD_BYTES / 65_536}):
    sys.stdout.write('x' * 65536)`;

const probe = (code: string, spec: Partial<SandboxSpec> = {}): Probe => ({
  ...{ code, spec: { ...PROBE_SPEC, ...spec }, timeoutMs: TIMEOUT_MS },
});

const counted = z.tuple([z.number(), z.string()]);
const shared = z.tuple([z.number(), z.tuple([z.number(), z.number()]).nullable()]);

/** The program's result; undefined where it has none of that form. */
function resultOf<T>(schema: z.ZodType<T>, { resultJson }: ProgramOutcome): T | undefined {
  return schema.safeParse(resultJson === undefined ? undefined : JSON.parse(resultJson)).data;
}

function ended({ error, exitCode }: ProgramOutcome): Verdict {
  const how = error === undefined ? `exit code ${exitCode}` : `${error.code}: ${error.message}`;
  return failure(
    `the probe ended without an answer (${how})`,
    'run it again; if it stays, look at the log of the engine',
  );
}

function judgeMemory(outcome: ProgramOutcome): Verdict {
  const held = Math.max(0, ...outcome.stdout.split('\n').map(Number));
  const limit = PROBE_SPEC.memoryMb;
  if (outcome.error === undefined) return failure(`a program of ${limit} MB took ${held} MB`, IGNORED);
  if (outcome.error.code !== 'MEMORY_LIMIT') return ended(outcome);
  const peakMb = (outcome.peakMemoryBytes ?? 0) / MiB;
  const mostMb = sandboxSizes(PROBE_SPEC).memoryBytes / MiB;
  if (held > limit + MEMORY_TOLERANCE_MB || peakMb > mostMb)
    return failure(
      `a program of ${limit} MB held ${Math.max(held, Math.round(peakMb))} MB before it was killed`,
      IGNORED,
    );
  return pass(`a program of ${limit} MB was killed when it had more than ${held} MB`);
}

function judgeCount(most: number, what: string, errno: string, show = (count: number) => String(count)) {
  return (outcome: ProgramOutcome): Verdict => {
    const result = resultOf(counted, outcome);
    if (result === undefined) return ended(outcome);
    const [count, end] = result;
    if (end === errno && count > 0 && count <= most) return pass(`${end} after ${show(count)} ${what}`);
    return failure(`${end} after ${show(count)} ${what}; the limit is ${show(most)}`, IGNORED);
  };
}

function judgeCpu(outcome: ProgramOutcome): Verdict {
  const result = resultOf(shared, outcome);
  if (result === undefined) return ended(outcome);
  const [share, counts] = result;
  const detail = `four busy loops of ${CPU_SHARE} processors got ${share.toFixed(2)}`;
  if (share > CPU_SHARE * CPU_TOLERANCE) return failure(detail, IGNORED);
  const [periods, throttled] = counts ?? [1, 1];
  if (periods === 0)
    return failure(`${detail}, because this host is busy: the kernel bounded them in no period`, IGNORED);
  if (throttled > 0) return pass(detail);
  return warning(`${detail}: this host is too busy for the limit to be felt`, 'run it again when the host is at rest');
}

function judgeOutput(outcome: ProgramOutcome): Verdict {
  if (outcome.error !== undefined) return ended(outcome);
  const kept = Buffer.byteLength(outcome.stdout);
  if (outcome.stdoutBytes !== FLOOD_BYTES)
    return failure(
      `${outcome.stdoutBytes} of ${FLOOD_BYTES} bytes arrived`,
      'look at what is between worker and engine',
    );
  if (kept > KEPT_BYTES)
    return failure(`${kept} bytes were kept; the limit is ${KEPT_BYTES}`, 'report this as a defect');
  return pass(`${kept} of ${FLOOD_BYTES} bytes were kept`);
}

/** Every limit that a program can run into; each in a sandbox of its own. */
export const LIMIT_PROBES = {
  memory: { probe: probe(MEMORY_CODE), judge: judgeMemory },
  disk: {
    probe: probe(DISK_CODE),
    judge: judgeCount(PROBE_SPEC.diskMb * MiB, 'written', 'ENOSPC', (bytes) => `${(bytes / MiB).toFixed(1)} MB`),
  },
  inodes: { probe: probe(INODES_CODE), judge: judgeCount(inodes, 'files', 'ENOSPC') },
  pids: { probe: probe(PIDS_CODE), judge: judgeCount(PROBE_SPEC.maxPids, 'processes', 'EAGAIN') },
  cpu: { probe: probe(CPU_CODE, { cpuCores: CPU_SHARE, maxPids: CPU_PIDS }), judge: judgeCpu },
  output: { probe: { ...probe(FLOOD_CODE), maxOutputBytes: KEPT_BYTES }, judge: judgeOutput },
} as const satisfies Readonly<Record<string, LimitProbe>>;
