import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdSandbox, type LeaseParts, type SandboxLease } from '../../../src/execution/sandbox-lease';
import type { LeaseStore } from '../../../src/leases/lease-store';
import { openLeaseStore } from '../../../src/leases/lmdb-lease-store';
import { SILENT } from '../../../src/telemetry/log';
import { lease } from '../leases/lease';

const nothing = (): Promise<void> => Promise.resolve();
const pool = { recycle: nothing, release: nothing, detach: () => undefined };

let dir: string;
let store: LeaseStore;
let writes: string[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hourglass-lease-'));
  store = await openLeaseStore(dir);
  writes = [];
  const put = store.put.bind(store);
  store.put = (record, over) => {
    writes.push(record.phase);
    return put(record, over);
  };
});

afterEach(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

async function begun(): Promise<SandboxLease> {
  const leased = { sandbox: { name: 'box' }, channel: {}, startKind: 'warm' };
  const parts = {
    host: { leases: store, pool },
    lease: lease(),
    attempt: { log: SILENT },
    releaseMemory: () => undefined,
  };
  const held = holdSandbox(leased as unknown as SandboxLease, parts as unknown as LeaseParts);
  await held.begin();
  held.advance('started');
  return held;
}

test('a program that ends at once costs the writes before its start, and no other', async () => {
  const held = await begun();
  held.advance('ended');
  await held.end();
  expect(writes).toEqual(['leased', 'staged']);
  expect(store.all()).toEqual([]);
});

test('a program that is left alone is left with its latest phase', async () => {
  const held = await begun();
  await held.detach();
  expect(writes).toEqual(['leased', 'staged', 'started']);
  expect(store.all()).toMatchObject([{ phase: 'started' }]);
});
