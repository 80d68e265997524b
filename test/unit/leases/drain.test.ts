import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Drain } from '../../../src/leases/drain';
import type { LeaseStore } from '../../../src/leases/lease-store';
import { openLeaseStore } from '../../../src/leases/lmdb-lease-store';

let dir: string;
let store: LeaseStore;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'hourglass-drain-'));
  store = await openLeaseStore(dir);
});

afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

test('a drain is there for the next worker of the host, and so is its end', async () => {
  const first = new Drain(store);
  expect(first.mark).toBeUndefined();
  await first.begin(5_000, 1_000);
  first.close();
  await store.close();
  store = await openLeaseStore(dir);
  const second = new Drain(store);
  expect(second.mark).toEqual({ v: 1, since: 1_000, sessionsCloseAt: 6_000 });
  await second.end();
  expect(second.mark).toBeUndefined();
  second.close();
  expect(store.drainMark()).toBeUndefined();
});

test('a drain that is asked for again keeps its beginning and changes its notice', async () => {
  const drain = new Drain(store);
  await drain.begin(5_000, 1_000);
  await drain.begin(0, 3_000);
  expect(drain.mark).toEqual({ v: 1, since: 1_000, sessionsCloseAt: 3_000 });
  drain.close();
});

test('another worker of the host hears of it, and each change is told once', async () => {
  const [one, other] = [new Drain(store), new Drain(store)];
  let changes = 0;
  const heard = new Promise<void>((resolve) => {
    const forget = other.onChange(() => {
      changes += 1;
      forget();
      resolve();
    });
  });
  await one.begin(5_000, 1_000);
  await heard;
  expect(other.mark).toEqual(one.mark);
  await other.end();
  expect(changes).toBe(1);
  one.close();
  other.close();
});
