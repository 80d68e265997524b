import { randomUUID } from 'node:crypto';
import { loadConfig } from '../../src/config';
import type { ExecutionResult } from '../../src/contract';
import type { Verdict } from '../../src/doctor/check';
import { LIMIT_PROBES } from '../../src/doctor/limit-probes';
import { probeKill, probeLimit, type LimitName } from '../../src/doctor/sandbox-limits';
import { createContainerEngine } from '../../src/engine/container';
import { SILENT } from '../../src/telemetry/log';
import { askEngine } from '../support/engine-api';
import { openTestHost, type TestHost } from '../support/host';
import { containersOf } from '../support/hostile-host';
import { patience } from '../support/patience';

type Files = Readonly<Record<string, string>>;
type Readings = Readonly<Record<string, number | null>>;

/** The files that the guest, the doctor and their tests read, by the cgroup version of the engine. */
const FILES = {
  '1': [
    'cpu/cpu.cfs_period_us',
    'cpu/cpu.cfs_quota_us',
    'cpu/cpu.stat',
    'cpuacct/cpuacct.usage',
    'memory/memory.limit_in_bytes',
    'memory/memory.max_usage_in_bytes',
    'memory/memory.oom_control',
    'memory/memory.usage_in_bytes',
    'pids/pids.max',
  ],
  '2': ['cpu.max', 'cpu.stat', 'memory.current', 'memory.events', 'memory.max', 'memory.peak', 'pids.max'],
} as const;

/** Loads a module of the guest's own that reads from a folder of the program's. */
const READ = `
import importlib.util, os, tempfile
spec = importlib.util.spec_from_file_location('cgroup_of_a_folder', '/opt/hourglass/guest/cgroup.py')
cgroup = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cgroup)
cgroup._ROOT = tempfile.mkdtemp(dir='/tmp')
for path, text in files.items():
    target = os.path.join(cgroup._ROOT, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    open(target, 'w').write(text)
names = ('oom_kills', 'memory_in_use', 'memory_peak', 'memory_limit', 'cpu_ms')
result = {name: getattr(cgroup, name)() for name in names}`;

const V1: Files = {
  'memory/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 3\n',
  'memory/memory.usage_in_bytes': '1000\n',
  'memory/memory.max_usage_in_bytes': '2000\n',
  'memory/memory.limit_in_bytes': '4000\n',
  'cpuacct/cpuacct.usage': '2500000\n',
};
const V2: Files = {
  'memory.events': 'low 0\nhigh 0\nmax 7\noom 5\noom_kill 3\noom_group_kill 0\n',
  'memory.current': '1000\n',
  'memory.peak': '2000\n',
  'memory.max': '4000\n',
  'cpu.stat': 'usage_usec 2500\nuser_usec 2000\nsystem_usec 500\n',
};
const FULL: Readings = { oom_kills: 3, memory_in_use: 1000, memory_peak: 2000, memory_limit: 4000, cpu_ms: 2.5 };
const NOTHING: Readings = { oom_kills: 0, memory_in_use: null, memory_peak: null, memory_limit: null, cpu_ms: null };

let host: TestHost;
let version: '1' | '2';

beforeAll(async () => {
  host = await openTestHost();
  version = (await askEngine<{ CgroupVersion?: string }>('/info')).CgroupVersion === '2' ? '2' : '1';
});

afterAll(() => host.close());

const python = (code: string): Promise<ExecutionResult> => host.run({ language: 'python', code });

async function readingsOf(files: Files): Promise<unknown> {
  const { result, error } = await python(`files = ${JSON.stringify(files)}\n${READ}`);
  expect(error).toBeUndefined();
  return result;
}

const without = (files: Files, ...paths: string[]): Files =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !paths.includes(path)));

test('a sandbox has the files of its cgroup version and none of the other', async () => {
  const all = Object.values(FILES).flat();
  const code = `import os\nresult = [path for path in ${JSON.stringify(all)} if os.path.exists('/sys/fs/cgroup/' + path)]`;
  expect((await python(code)).result).toEqual(FILES[version]);
});

test('what a run used is read from them', async () => {
  const code = `import time\nblock = bytearray(50 * 2 ** 20)\nwhile time.process_time() < 0.2: pass`;
  const { metadata, error } = await python(code);
  expect(error).toBeUndefined();
  expect(metadata.peakMemoryBytes).toBeGreaterThan(50 * 2 ** 20);
  expect(metadata.cpuTimeMs).toBeGreaterThan(150);
});

/** Runs every probe of the doctor, one after the other: what they measure they would take from each other. */
async function probeAll(): Promise<Record<string, Verdict>> {
  const engine = createContainerEngine(loadConfig(), SILENT);
  const owner = { hostId: `test-${randomUUID()}`, workerId: randomUUID() };
  const place = { engine, owner, bootTimeoutMs: patience(30_000), signal: new AbortController().signal };
  try {
    const found: Record<string, Verdict> = { kill: await probeKill(place) };
    for (const name of Object.keys(LIMIT_PROBES) as LimitName[]) found[name] = await probeLimit(place, name);
    expect(await containersOf(owner.hostId)).toEqual([]);
    return found;
  } finally {
    await engine.close();
  }
}

test('R08: the probes of the doctor find every limit kept, whatever the cgroup version', async () => {
  const kept = expect.objectContaining({ status: 'pass' }) as Verdict;
  // A host that is busy enough bounds a program by itself; the probe says so, and that the kernel bounds it, too.
  const keptOrNotFelt = expect.objectContaining({ status: expect.stringMatching(/^(pass|warning)$/) }) as Verdict;
  const wanted = { kill: kept, memory: kept, disk: kept, inodes: kept, pids: kept, cpu: keptOrNotFelt, output: kept };
  expect(await probeAll()).toEqual(wanted);
});

test.each<[string, Files, Readings]>([
  ['cgroup v1', V1, FULL],
  ['cgroup v2', V2, FULL],
  [
    'cgroup v1 whose controllers for the processor are mounted as one',
    { ...without(V1, 'cpuacct/cpuacct.usage'), 'cpu,cpuacct/cpuacct.usage': '2500000\n' },
    FULL,
  ],
  ['cgroup v2 without a limit', { ...V2, 'memory.max': 'max\n' }, { ...FULL, memory_limit: null }],
  [
    'cgroup v1 without a limit',
    { ...V1, 'memory/memory.limit_in_bytes': '9223372036854771712\n' },
    { ...FULL, memory_limit: null },
  ],
  ['cgroup v2 of a kernel that keeps no peak', without(V2, 'memory.peak'), { ...FULL, memory_peak: null }],
  ['no cgroup to be seen', {}, NOTHING],
])('the guest reads %s', async (_, files, readings) => {
  expect(await readingsOf(files)).toEqual(readings);
});
