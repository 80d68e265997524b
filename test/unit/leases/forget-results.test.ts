import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionResult } from '../../../src/contract';
import type { LeaseStore } from '../../../src/leases/lease-store';
import { openLeaseStore } from '../../../src/leases/lmdb-lease-store';
import { Reachability } from '../../../src/leases/reachability';
import { Reaper } from '../../../src/leases/reaper';
import { SILENT } from '../../../src/telemetry/log';
import { lease } from './lease';

const MINUTE = 60_000;
const RESULT = { success: true } as unknown as ExecutionResult;
const NO_CONTAINERS = { listContainers: async () => [], removeContainer: async () => undefined };
const WORKER = 'worker-of-the-test';

let dir: string;
let store: LeaseStore;
let reachability: Reachability;
let reaper: Reaper;
let now: number;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hourglass-forget-'));
  store = await openLeaseStore(dir);
  now = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  reachability = new Reachability();
  const parts = { directory: NO_CONTAINERS, holds: () => false, log: SILENT };
  reaper = new Reaper({ ...parts, store, reachability, workerId: WORKER });
});

afterEach(async () => {
  jest.restoreAllMocks();
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

/** Goes on by minutes, with two checks of the server in each. */
function pass(minutes: number, answers = true): void {
  for (let half = 0; half < 2 * minutes; half += 1) {
    now += MINUTE / 2;
    reachability.note(answers);
  }
}

async function isKept(): Promise<boolean> {
  await reaper.sweep();
  return store.pruneResults(() => true).then(() => store.knows(lease()));
}

async function save(workerId = WORKER): Promise<void> {
  reachability.note(true);
  await store.putResult(lease(), RESULT, workerId);
}

test('a result of a worker that lives is forgotten when its server has been reached for ten minutes', async () => {
  await save();
  pass(9);
  expect(await isKept()).toBe(true);
  pass(2);
  expect(await isKept()).toBe(false);
});

test('a server that cannot be reached for hours may ask for the result afterwards', async () => {
  await save();
  pass(180, false);
  expect(await isKept()).toBe(true);
  pass(9);
  expect(await isKept()).toBe(true);
  pass(2);
  expect(await isKept()).toBe(false);
});

test.each([
  ['a process that stood still', 6 * 60 * MINUTE],
  ['a clock that was set forward', 2 * MINUTE],
])('%s forgets nothing before its server has been reached for ten minutes', async (_, jump) => {
  await save();
  pass(9);
  now += jump;
  expect(await isKept()).toBe(true);
  pass(9);
  expect(await isKept()).toBe(true);
  pass(2);
  expect(await isKept()).toBe(false);
});

test('without a server nobody asks again', async () => {
  await store.putResult(lease(), RESULT, WORKER);
  now += 11 * MINUTE;
  expect(await isKept()).toBe(false);
});

test('a result of a worker that died is kept for a day', async () => {
  await save('dead');
  pass(23 * 60);
  expect(await isKept()).toBe(true);
  pass(61);
  expect(await isKept()).toBe(false);
});
