import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idSchema, type ExecutionResult } from '../../../src/contract';
import type { Lease, LeaseStore } from '../../../src/leases/lease-store';
import { openLeaseStore } from '../../../src/leases/lmdb-lease-store';
import { TypeScriptProcess } from '../../support/typescript-process';
import { lease, worker } from './lease';

const RESULT: ExecutionResult = {
  ...{ success: true, result: { a: [1, 'ü'] }, stdout: 'out', stderr: '', savedFiles: [], warnings: [] },
  metadata: {
    ...{ executionId: 'execution-1', language: 'python', engine: 'container', exitCode: 0, executionTimeMs: 1 },
    ...{ queueTimeMs: 0, totalTimeMs: 2, startKind: 'warm', stdoutBytes: 3, stderrBytes: 0, attempt: 1 },
    ...{ sandboxId: 'hourglass-1', hostId: 'host-1', image: 'image' },
  },
};

let dir: string;
const opened: LeaseStore[] = [];

async function openStore(folder = dir): Promise<LeaseStore> {
  const store = await openLeaseStore(folder);
  opened.push(store);
  return store;
}

async function closeAll(): Promise<void> {
  await Promise.all(opened.splice(0).map((store) => store.close()));
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hourglass-leases-'));
});

afterEach(async () => {
  await closeAll();
  await rm(dir, { recursive: true, force: true });
});

test('a lease that was put is read back as it was', async () => {
  const store = await openStore();
  await store.put(lease());
  expect(store.get(lease())).toEqual(lease());
  expect(store.all()).toEqual([lease()]);
});

test('a second put of an execution replaces the first', async () => {
  const store = await openStore();
  await store.put(lease());
  await store.put(lease({ phase: 'started' }));
  expect(store.all()).toEqual([lease({ phase: 'started' })]);
});

test('of two attempts that are put at the same time one gets the record', async () => {
  const [store, other] = [await openStore(), await openStore()];
  const first = lease();
  const second = lease({ containerId: 'other', attempt: 2 });
  // Which of the two handles commits first is up to their threads.
  const isFirstIn = await Promise.all([store.put(first), other.put(second)]);
  expect([...isFirstIn].sort()).toEqual([false, true]);
  expect(store.get(first)).toEqual(isFirstIn[0] ? first : second);
});

test('a record of another attempt is not replaced but by whoever names it', async () => {
  const [store, other] = [await openStore(), await openStore()];
  const first = lease();
  const second = lease({ containerId: 'other', attempt: 2 });
  expect(await store.put(first)).toBe(true);
  expect(await other.put(second)).toBe(false);
  expect(await other.put({ ...second, containerId: first.containerId }, first)).toBe(true);
  expect(await store.put({ ...first, phase: 'ended' }, first)).toBe(false);
  expect(store.get(first)).toMatchObject({ attempt: 2, phase: first.phase });
});

test('what went on without its record does not make it again', async () => {
  const store = await openStore();
  await store.put(lease());
  await store.remove(lease());
  expect(await store.put(lease({ phase: 'ended' }), lease())).toBe(false);
  expect(store.all()).toEqual([]);
});

test('a removed lease is gone, and removing it again is no error', async () => {
  const store = await openStore();
  await store.put(lease());
  await store.remove(lease());
  await store.remove(lease());
  expect(store.get(lease())).toBeUndefined();
  expect(store.all()).toEqual([]);
});

test('executions of the same id are kept apart by tenant', async () => {
  const store = await openStore();
  const mine = lease();
  const foreign = lease({ tenant: { workspaceId: 'default', userId: 'eve' }, containerId: 'badcafe' });
  await store.put(mine);
  await store.put(foreign);
  expect(store.get(mine)).toEqual(mine);
  await store.remove(foreign);
  expect(store.all()).toEqual([mine]);
});

test('a result takes the place of its lease, for what asked for it alone, and survives closing', async () => {
  const first = await openStore();
  await first.put(lease());
  await first.putResult(lease(), RESULT, 'worker-1');
  expect(first.all()).toEqual([]);
  await closeAll();
  const second = await openStore();
  expect(second.result(lease())).toEqual(RESULT);
  expect(second.result(lease({ origin: 'another' }))).toBeUndefined();
  expect(second.result(lease({ tenant: { workspaceId: 'default', userId: 'eve' } }))).toBeUndefined();
});

test('results are forgotten by their facts, of which the newest are asked about first', async () => {
  const store = await openStore();
  for (const executionId of ['a', 'b', 'c']) {
    await store.putResult(lease({ executionId }), RESULT, executionId);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const asked: string[] = [];
  await store.pruneResults(({ workerId, size }) => {
    expect(size).toBe(JSON.stringify(RESULT).length);
    asked.push(workerId);
    return asked.length < 3;
  });
  expect(asked).toEqual(['c', 'b', 'a']);
  const left = ['a', 'b', 'c'].filter((executionId) => store.result(lease({ executionId })) !== undefined);
  expect(left).toEqual(['b', 'c']);
});

test('a record is claimed only in the phase in which it was seen, and then its earlier owner has it no more', async () => {
  const store = await openStore();
  const other = await openStore();
  const first = lease({ phase: 'leased' });
  const second = lease({ phase: 'leased', workerId: 'other', attempt: 2 });
  await store.put(first);
  await store.put({ ...first, phase: 'staged' }, first);
  expect(await other.claim(second, first)).toBe(false);
  expect(store.get(first)).toMatchObject({ workerId: first.workerId, phase: 'staged' });
  expect(await other.claim({ ...second, phase: 'staged' }, { ...first, phase: 'staged' })).toBe(true);
  expect(await store.put({ ...first, phase: 'started' }, first)).toBe(false);
  await store.remove(first);
  expect(await other.claim(second, first)).toBe(false);
});

test('workers are kept apart from leases', async () => {
  const store = await openStore();
  await store.put(lease({ executionId: 'same' }));
  await store.putWorker(worker({ workerId: 'same' }));
  expect(store.workers()).toEqual([worker({ workerId: 'same' })]);
  await store.removeWorker('same');
  expect(store.workers()).toEqual([]);
  expect(store.all()).toHaveLength(1);
});

test('what was put survives closing and opening, and so does the host id', async () => {
  const first = await openStore();
  await first.put(lease());
  await closeAll();
  const second = await openStore();
  expect(second.all()).toEqual([lease()]);
  expect(second.hostId).toBe(first.hostId);
});

test('the host id is a valid id', async () => {
  expect(idSchema.parse((await openStore()).hostId)).toBe((await openStore()).hostId);
});

test('folders have different host ids', async () => {
  const one = await openStore(join(dir, 'one'));
  const other = await openStore(join(dir, 'other'));
  expect(one.hostId).not.toBe(other.hostId);
});

test('openings at the same time agree on one host id', async () => {
  const stores = await Promise.all(Array.from({ length: 10 }, () => openStore()));
  expect(new Set(stores.map((store) => store.hostId)).size).toBe(1);
});

test('a damaged host id is an error that names the file', async () => {
  await writeFile(join(dir, 'host-id'), '\0\0\0');
  await expect(openStore()).rejects.toThrow(join(dir, 'host-id'));
});

test('closing one of two openings leaves the other usable', async () => {
  const one = await openStore();
  const other = await openStore();
  await one.put(lease());
  await one.close();
  await one.close();
  await other.put(lease({ executionId: 'execution-2' }));
  expect(other.all()).toHaveLength(2);
});

test('what another process puts is seen at the next read', async () => {
  const store = await openStore();
  const writer = new TypeScriptProcess(join(__dirname, 'put-leases.ts'), [dir, 'other']);
  for (const count of [1, 10, 20]) {
    await writer.printed(count);
    for (const id of writer.lines.slice())
      expect(store.get(lease({ executionId: id }))).toEqual(lease({ executionId: id }));
  }
  writer.kill();
  await writer.end();
  expect(writer.lines.length).toBeGreaterThanOrEqual(20);
});

test('a record of another version is passed over', async () => {
  const store = await openStore();
  await store.put({ ...lease({ executionId: 'future' }), v: 2 } as unknown as Lease);
  await store.put({ ...lease({ executionId: 'extended' }), added: 'later' } as Lease);
  expect(store.get(lease({ executionId: 'future' }))).toBeUndefined();
  expect(store.knows(lease({ executionId: 'future' }))).toBe(true);
  expect(store.knows(lease({ executionId: 'unknown' }))).toBe(false);
  expect(store.all()).toEqual([lease({ executionId: 'extended' })]);
});

describe('a damaged store', () => {
  beforeEach(async () => {
    const store = await openStore();
    await Promise.all(
      Array.from({ length: 200 }, (_, number) => store.put(lease({ executionId: `execution-${number}` }))),
    );
    await closeAll();
    await rm(join(dir, 'leases.mdb-lock'));
  });

  const damages: Record<string, (file: string) => Promise<void>> = {
    'holds noise': (file) => writeFile(file, randomBytes(100_000)),
    'is cut after its first page': (file) => truncate(file, 4096),
    'is cut in the middle': async (file) => truncate(file, Math.floor((await stat(file)).size / 2)),
    'has noise behind its head': async (file) => {
      const bytes = await readFile(file);
      await writeFile(file, Buffer.concat([bytes.subarray(0, 8192), randomBytes(bytes.length - 8192)]));
    },
  };

  test.each(Object.entries(damages))('that %s is an error that names the file and the remedy', async (_, damage) => {
    const file = join(dir, 'leases.mdb');
    await damage(file);
    await expect(openStore()).rejects.toThrow(new RegExp(`${file}.*stop all workers.*remove`));
  });
});

test('a folder that cannot be made is an error that names it', async () => {
  const file = join(dir, 'file');
  await writeFile(file, '');
  await expect(openStore(join(file, 'state'))).rejects.toThrow(join(file, 'state'));
});

test('every put that resolved is there after the process was killed, twenty times in a row', async () => {
  const durable: string[] = [];
  for (let round = 0; round < 20; round++) {
    const writer = new TypeScriptProcess(join(__dirname, 'put-leases.ts'), [dir, `round-${round}`]);
    await writer.printed(1 + Math.floor(Math.random() * 30));
    writer.kill();
    const { signal, stderr } = await writer.end();
    expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
    durable.push(...writer.lines);
  }
  const store = await openStore();
  const found = new Set(store.all().map((record) => record.executionId));
  expect(durable.length).toBeGreaterThanOrEqual(20);
  expect(durable.filter((id) => !found.has(id))).toEqual([]);
  await store.put(lease());
  expect(store.get(lease())).toEqual(lease());
});
