import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxImageTag } from '../../infra/setup/index.js';
import { loadConfig } from '../../src/config';
import { DEFAULT_TENANT } from '../../src/contract';
import { createContainerEngine } from '../../src/engine/container';
import { DockerClient } from '../../src/engine/container/docker-client';
import { resolveEndpoint } from '../../src/engine/container/endpoint';
import { createBody } from '../../src/engine/container/hardening';
import { LABELS, writeLabels } from '../../src/engine/container/labels';
import type { SandboxOwner } from '../../src/engine/engine';
import { openLeaseStore } from '../../src/leases/lmdb-lease-store';
import type { LeaseStore } from '../../src/leases/lease-store';
import { BOOTING_MS, OWNERLESS_MS } from '../../src/leases/judge';
import { Reachability } from '../../src/leases/reachability';
import { Reaper } from '../../src/leases/reaper';
import { SILENT } from '../../src/telemetry/log';
import { TypeScriptProcess } from '../support/typescript-process';

const SPEC = { runtime: 'shell', preload: [], memoryMb: 64, diskMb: 32, cpuCores: 1, maxPids: 64 } as const;
const engine = createContainerEngine(loadConfig({ env: process.env }), SILENT);
const client = new DockerClient(resolveEndpoint(process.env['DOCKER_HOST']));

let stateDir: string;
let store: LeaseStore;
let reaper: Reaper;
const workerId = randomUUID();
const cleanups: (() => Promise<unknown>)[] = [];
const held = new Set<string>();

beforeEach(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'hourglass-test-'));
  store = await openLeaseStore(stateDir);
  reaper = new Reaper({
    directory: engine,
    store,
    workerId,
    holds: (id) => held.has(id),
    reachability: new Reachability(),
    log: SILENT,
  });
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await reaper.stop();
  await store.close();
  rmSync(stateDir, { recursive: true });
});

afterAll(async () => {
  client.close();
  await engine.close();
});

/** A container that is created and never runs, made as long ago as the labels say. */
function created(owner: SandboxOwner | undefined, ageMs = 0): Promise<string> {
  return labelled(owner === undefined ? {} : writeLabels(owner, 'key', Date.now() - ageMs));
}

async function labelled(labels: Record<string, string>): Promise<string> {
  const body = createBody({ image: sandboxImageTag(), spec: SPEC, runtime: undefined, leaseMs: 60_000, labels });
  const name = `hourglass-${randomUUID().slice(0, 16)}`;
  const id = await client.create(name, body);
  cleanups.push(() => client.remove(id));
  return name;
}

/** Another worker process of this host with one running sandbox. */
async function otherWorker(): Promise<{ process: TypeScriptProcess; workerId: string; sandbox: string }> {
  const id = randomUUID();
  const child = new TypeScriptProcess(join(__dirname, 'worker-that-boots.ts'), [stateDir, id]);
  cleanups.push(async () => {
    child.kill();
    await child.end();
    for (const { id: container, origin } of await engine.listContainers()) {
      if (origin?.workerId === id) await engine.removeContainer(container);
    }
  });
  await child.printed(1);
  return { process: child, workerId: id, sandbox: child.lines[0] ?? '' };
}

async function sweep(): Promise<Record<string, string>> {
  const reaped = await reaper.sweep();
  return Object.fromEntries(reaped.map(({ name, reason }) => [name, reason]));
}

async function names(): Promise<string[]> {
  return (await engine.listContainers()).map(({ name }) => name);
}

test('R12: the sandbox of a worker that was killed is removed, that of one that lives is not', async () => {
  const [dead, living] = await Promise.all([otherWorker(), otherWorker()]);
  expect(await sweep()).toEqual({});
  dead.process.kill('SIGKILL');
  await dead.process.end();
  expect(await sweep()).toEqual({ [dead.sandbox]: 'its worker is gone' });
  const left = await names();
  expect(left).toContain(living.sandbox);
  expect(left).not.toContain(dead.sandbox);
  expect(
    store
      .workers()
      .map((worker) => worker.workerId)
      .sort(),
  ).toEqual([workerId, living.workerId].sort());
});

test('R12: a sandbox of a killed worker stays while its lease runs, and goes with its record when it has ended', async () => {
  const dead = await otherWorker();
  dead.process.kill('SIGKILL');
  await dead.process.end();
  const container = (await engine.listContainers()).find(({ name }) => name === dead.sandbox);
  const lease = {
    v: 1,
    tenant: DEFAULT_TENANT,
    executionId: 'execution',
    origin: 'workflow',
    attempt: 1,
    containerId: container?.id ?? '',
    sandboxName: dead.sandbox,
    hostId: store.hostId,
    workerId: dead.workerId,
    phase: 'started',
    createdAt: Date.now(),
  } as const;
  await store.put({ ...lease, expiresAt: Date.now() + 60_000 });
  expect(await sweep()).toEqual({});
  await store.put({ ...lease, expiresAt: Date.now() });
  expect(await sweep()).toEqual({ [dead.sandbox]: 'its worker is gone' });
  expect(store.all()).toEqual([]);
});

test('R15: a container of somebody else survives, however similar its name', async () => {
  const foreign = await created(undefined);
  await sweep();
  expect(await client.inspect(foreign)).toBeDefined();
});

test('R15: labels that are only like ours protect from removal, and so do ours with a part that nobody wrote', async () => {
  const old = String(Date.now() - 10 * OWNERLESS_MS);
  const whole = writeLabels({ hostId: store.hostId, workerId: randomUUID() }, 'key', Date.now() - 10 * OWNERLESS_MS);
  const alike: Record<string, string>[] = [
    { 'io.hourglass.hostname': store.hostId, 'io.hourglass.created': old },
    { [LABELS.host]: store.hostId },
    { ...whole, [LABELS.worker]: '' },
    { ...whole, [LABELS.created]: 'long ago' },
  ];
  const foreign = await Promise.all(alike.map((labels) => labelled(labels)));
  const ours = await labelled(whole);
  expect(await sweep()).toEqual({ [ours]: expect.any(String) as string });
  for (const name of foreign) expect(await client.inspect(name)).toBeDefined();
});

test('R15: a container of another host is removed only when it does not run and nobody can own it any more', async () => {
  const elsewhere = { hostId: `elsewhere-${randomUUID()}`, workerId: randomUUID() };
  const recent = await created(elsewhere);
  const old = await created(elsewhere, OWNERLESS_MS + 1_000);
  expect(await sweep()).toEqual({ [old]: 'of another host, ended long ago' });
  expect(await names()).toContain(recent);
});

test('R15: what this worker lost sight of is removed, and what it holds or boots is not', async () => {
  const mine = { hostId: store.hostId, workerId };
  const booting = await created(mine);
  const lost = await created(mine, BOOTING_MS + 1_000);
  const kept = await created(mine, BOOTING_MS + 1_000);
  held.add((await client.inspect(kept))?.Id ?? '');
  expect(await sweep()).toEqual({ [lost]: 'left over by this worker' });
  const left = await names();
  expect(left).toEqual(expect.arrayContaining([booting, kept]));
});

test('a worker that stops is no longer among the living', async () => {
  await reaper.start();
  expect(store.workers().map((worker) => worker.workerId)).toEqual([workerId]);
  await reaper.stop();
  expect(store.workers()).toEqual([]);
});
