import type { ExecutionResult, Language, ResourceLimits } from '../../src/contract';
import { openTestHost, type TestHost } from '../support/host';

let host: TestHost;

beforeAll(async () => {
  host = await openTestHost({ HOURGLASS_PREWARM: 'python' });
});

afterAll(() => host.close());

function run(language: Language, code: string, resourceLimits: ResourceLimits = {}): Promise<ExecutionResult> {
  return host.run({ language, code, resourceLimits });
}

const allocate = (megabytes: number, prelude = ''): string =>
  `${prelude}\nblock = bytearray(${Math.round(megabytes * 2 ** 20)})\nresult = len(block) >> 20`;

describe.each([64, 256])('with memoryMb %i', (memoryMb) => {
  test('R14: a program that takes four fifths of it runs', async () => {
    const { result } = await run('python', allocate(0.8 * memoryMb), { memoryMb });
    expect(result).toBe(Math.floor(0.8 * memoryMb));
  });

  test.each([
    ['Python', ''],
    ['Python with pandas', 'import pandas'],
  ])('R14: a %s program that takes 1.2 times of it is out of memory', async (_, prelude) => {
    const { error } = await run('python', allocate(1.2 * memoryMb, prelude), { memoryMb });
    expect(error).toMatchObject({ code: 'MEMORY_LIMIT', message: expect.stringContaining(`${memoryMb} MB`) as string });
  });

  test('R14: so is a JavaScript program', async () => {
    const code = `const block = Buffer.alloc(${1.2 * memoryMb} * 2 ** 20, 1); result = block.length`;
    expect((await run('javascript', code, { memoryMb })).error).toMatchObject({ code: 'MEMORY_LIMIT' });
  });

  test('R14: so is a shell program', async () => {
    const code = `head -c ${Math.round(1.2 * memoryMb)}M /dev/zero | tail -c 1000M | wc -c`;
    expect((await run('shell', code, { memoryMb })).error).toMatchObject({ code: 'MEMORY_LIMIT' });
  });

  test('R02: filling every file system reads ENOSPC and is not out of memory', async () => {
    const code = `
import errno
def fill(root):
    errors = []
    try:
        for number in range(10 ** 6):
            open(f'{root}/{number}', 'w').close()
    except OSError as error:
        errors.append(errno.errorcode[error.errno])
    written = 0
    try:
        with open(f'{root}/0', 'wb', buffering=0) as file:
            while True:
                written += file.write(bytes(65536))
    except OSError as error:
        errors.append(errno.errorcode[error.errno])
    return [written >> 20, *errors]
result = {root: fill(root) for root in ('/dev/shm', '/tmp', '/sandbox')}`;
    const { result, error } = await run('python', code, { memoryMb });
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ '/sandbox': [memoryMb / 2, 'ENOSPC', 'ENOSPC'] });
  });
});

test('a disk larger than half of the memory can be filled', async () => {
  const code = `
written = 0
try:
    with open('big', 'wb', buffering=0) as file:
        while True:
            written += file.write(bytes(2 ** 20))
except OSError as error:
    result = [written >> 20, error.strerror]`;
  const { result } = await run('python', code, { memoryMb: 64, diskMb: 200 });
  expect(result).toEqual([200, 'No space left on device']);
});

test('R05: a sparse file larger than the memory is refused', async () => {
  const code = `
import errno, os
try:
    os.truncate(os.open('sparse', os.O_CREAT | os.O_RDWR), 2 ** 40)
except OSError as error:
    result = errno.errorcode[error.errno]`;
  expect((await run('python', code)).result).toBe('EFBIG');
});

test('R05: a fork bomb reaches its limit and nothing else', async () => {
  const code = `
import os, errno, time
count = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        count += 1
except OSError as error:
    result = [count, errno.errorcode[error.errno]]`;
  const { result, error } = await run('python', code, { maxPids: 40 });
  expect(error).toBeUndefined();
  // The program itself counts.
  expect(result).toEqual([39, 'EAGAIN']);
});

test('R05: threads count as processes', async () => {
  const code = `
import threading
count, stop = 0, threading.Event()
try:
    while count < 1000:
        threading.Thread(target=stop.wait).start()
        count += 1
except RuntimeError:
    pass
stop.set()
result = count`;
  expect((await run('python', code, { maxPids: 40 })).result).toBe(39);
});

test('R05: descriptors are bounded', async () => {
  const code = `
import errno
files = []
try:
    while True:
        files.append(open('/dev/null'))
except OSError as error:
    failed = errno.errorcode[error.errno]
count = len(files)
files.clear()
result = [count < 1024, failed]`;
  expect((await run('python', code)).result).toEqual([true, 'EMFILE']);
});

test('R05: half a core is half a core, for one busy thread as for four', async () => {
  const code = `
import multiprocessing, time
def spin(until):
    while time.monotonic() < until:
        pass
def used(count):
    start, until = time.monotonic(), time.monotonic() + 1.5
    children = [multiprocessing.get_context('fork').Process(target=spin, args=(until,)) for _ in range(count)]
    before = sum(__import__('os').times()[:4])
    for child in children: child.start()
    for child in children: child.join()
    return (sum(__import__('os').times()[:4]) - before) / (time.monotonic() - start)
result = [used(1), used(4)]`;
  const { result } = await run('python', code, { cpuCores: 0.5 });
  for (const cores of result as number[]) {
    expect(cores).toBeLessThan(0.7);
  }
});

const THROTTLED = `
import os, time
def throttled():
    for path in ('/sys/fs/cgroup/cpu.stat', '/sys/fs/cgroup/cpu/cpu.stat'):
        if os.path.exists(path):
            facts = dict(line.split() for line in open(path))
            return [int(facts['nr_throttled']), int(facts.get('throttled_usec') or facts['throttled_time'])]
`;

test('R05: the kernel itself makes a busy thread wait that has used its half of a core', async () => {
  // On a busy host a thread may get less than half a core for a while, and does not have to wait then.
  const code = `${THROTTLED}
before, until = throttled(), time.monotonic() + 60
while throttled()[0] < before[0] + 5 and time.monotonic() < until:
    sum(range(100_000))
result = [now - then for now, then in zip(throttled(), before)]`;
  const { result } = await host.run({ language: 'python', code, resourceLimits: { cpuCores: 0.5 }, timeout: 90_000 });
  const [periods, time] = result as [number, number];
  expect(periods).toBeGreaterThanOrEqual(5);
  expect(time).toBeGreaterThan(0);
});

test('R05: nor does it make one wait that has a core and does not use it', async () => {
  const code = `${THROTTLED}
before = throttled()[0]
for _ in range(10): time.sleep(0.05)
result = throttled()[0] - before`;
  expect((await run('python', code, { cpuCores: 1 })).result).toBe(0);
});

test('R05: the numbers of the cgroup are those that were asked for', async () => {
  const code = `
import os
def read(*paths):
    for path in paths:
        if os.path.exists(path):
            return open(path).read().split()
root = '/sys/fs/cgroup'
memory = int(read(f'{root}/memory/memory.limit_in_bytes', f'{root}/memory.max')[0])
cpu = read(f'{root}/cpu.max') or [read(f'{root}/cpu/cpu.cfs_{name}_us')[0] for name in ('quota', 'period')]
pids = int(read(f'{root}/pids/pids.max', f'{root}/pids.max')[0])
result = [memory >> 20, int(cpu[0]) / int(cpu[1]), pids]`;
  const limits = { memoryMb: 100, diskMb: 80, cpuCores: 0.25, maxPids: 50 };
  // The guest's own 13 MB and one process, and the disk beyond half of the memory.
  expect((await run('python', code, limits)).result).toEqual([100 + 13 + 30, 0.25, 51]);
});
