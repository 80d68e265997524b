import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sandboxImageTag } from '../../infra/setup/index.js';
import type { CleanItem } from '../../src/cli/clean/part';
import { createHourglassClient, type ExecutionHandle, type HourglassClient } from '../../src/client';
import { DEFAULT_TENANT } from '../../src/contract';
import { DockerClient } from '../../src/engine/container/docker-client';
import { resolveEndpoint } from '../../src/engine/container/endpoint';
import { createBody } from '../../src/engine/container/hardening';
import { LABELS, writeLabels } from '../../src/engine/container/labels';
import { loadHostId } from '../../src/leases/host-id';
import { OWNERLESS_MS } from '../../src/leases/judge';
import { openLeaseStore } from '../../src/leases/lmdb-lease-store';
import type { CliProcess, CommandEnd } from '../support/cli';
import { CliSetup } from '../support/cli-setup';
import { eventually } from '../support/eventually';
import type { WorkerPlace } from '../support/test-worker';
import { TypeScriptProcess } from '../support/typescript-process';

interface Cleaned {
  readonly dryRun: boolean;
  readonly removed: CleanItem[];
  readonly kept: CleanItem[];
  readonly bytes: number;
  readonly failures: { code: string; message: string }[];
}

const SPEC = { runtime: 'shell', preload: [], memoryMb: 64, diskMb: 32, cpuCores: 1, maxPids: 64 } as const;

const docker = new DockerClient(resolveEndpoint(process.env['DOCKER_HOST']));
const cleanups: (() => unknown)[] = [];
let setup: CliSetup;
let place: WorkerPlace;

beforeAll(async () => {
  setup = await CliSetup.open();
  ({ place } = setup);
});

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  docker.close();
  await setup?.close();
});

async function clean(...argv: string[]): Promise<CommandEnd & { cleaned: Cleaned }> {
  const end = await setup.command('clean', '--json', ...argv);
  return { ...end, cleaned: JSON.parse(end.stdout) as Cleaned };
}

/** A worker with a task queue of its own, and a client of that queue; all in one host. */
async function worker(taskQueue: string): Promise<{ process: CliProcess; hourglass: HourglassClient }> {
  const process = await setup.worker({ HOURGLASS_TASK_QUEUE: taskQueue });
  const hourglass = await createHourglassClient({ address: setup.address, taskQueue });
  cleanups.push(() => hourglass.close());
  return { process, hourglass };
}

async function running(hourglass: HourglassClient, code: string): Promise<{ run: ExecutionHandle; sandbox: string }> {
  const before = new Set((await place.leases()).map(({ sandboxName }) => sandboxName));
  const run = await hourglass.start({ language: 'shell', code, timeout: 120_000 });
  const isNew = ({ sandboxName, phase }: { sandboxName: string; phase: string }): boolean =>
    !before.has(sandboxName) && phase === 'started';
  const leases = await eventually(
    () => place.leases(),
    (all) => all.some(isNew),
  );
  return { run, sandbox: leases.find(isNew)?.sandboxName ?? '' };
}

/** A container that somebody made and that never runs. */
async function container(labels: Record<string, string>): Promise<string> {
  const body = createBody({ image: sandboxImageTag(), spec: SPEC, runtime: undefined, leaseMs: 60_000, labels });
  const name = `hourglass-${randomUUID().slice(0, 16)}`;
  const id = await docker.create(name, body);
  cleanups.push(() => docker.remove(id));
  return name;
}

/** Publishes in a process that ends itself at a step, or that waits with what it has staged. */
async function publisher(batchId: string, job: object): Promise<void> {
  const file = join(__dirname, '../unit/workspace/publish-in-process.ts');
  const dir = place.config.workspace.dir;
  const child = new TypeScriptProcess(file, [
    JSON.stringify({ dir, batchId, texts: { [`${batchId}.txt`]: 'four' }, ...job }),
  ]);
  cleanups.push(() => child.kill());
  await ('wait' in job ? child.printed(2) : child.end());
}

/** The record of an execution that nobody asks for any more; resolves with its id. */
async function endedLease(hostId: string): Promise<string> {
  const store = await openLeaseStore(place.config.stateDir);
  const executionId = `ended-${randomUUID()}`;
  const sandbox = { containerId: 'gone', sandboxName: 'hourglass-gone', hostId, workerId: randomUUID() };
  const facts = { executionId, origin: 'test', attempt: 1, phase: 'started', createdAt: 1, expiresAt: 2 } as const;
  await store.put({ v: 1, tenant: DEFAULT_TENANT, ...facts, ...sandbox });
  await store.close();
  return executionId;
}

const kinds = (items: readonly CleanItem[], kind: CleanItem['kind']): string[] =>
  items.filter((item) => item.kind === kind).map(({ name }) => name);

test('what has no owner any more goes; what a living process has, and what only looks like ours, stays', async () => {
  const living = await worker('living');
  const dead = await worker('dead');
  const kept = await running(living.hourglass, 'sleep 110');
  const awaited = await running(dead.hourglass, 'sleep 110');
  cleanups.push(() => docker.remove(awaited.sandbox));
  dead.process.kill('SIGKILL');
  await dead.process.ended;
  await publisher('staged', { dieAt: { step: 'journalled', count: 1 } });
  await publisher('committed', { dieAt: { step: 'committed', count: 1 } });
  await publisher('alive', { wait: true });
  const hostId = await loadHostId(place.config.stateDir);
  const old = Date.now() - 10 * OWNERLESS_MS;
  const ours = writeLabels({ hostId, workerId: randomUUID() }, 'key', old);
  const lost = await container(ours);
  const forgotten = await endedLease(hostId);
  const foreign = await Promise.all([
    container({}),
    container({ 'io.hourglass.hostname': hostId, 'com.example.io.hourglass.host': hostId }),
    container({ [LABELS.host]: hostId }),
    container({ ...ours, [LABELS.worker]: '' }),
    container({ ...ours, [LABELS.created]: 'long ago' }),
    container(writeLabels({ hostId: `${hostId}x`, workerId: randomUUID() }, 'key', Date.now())),
  ]);

  const trial = await clean('--dry-run');
  expect(trial).toMatchObject({ exitCode: 0, stderr: '', cleaned: { dryRun: true, failures: [] } });
  expect(await place.containers()).toEqual(expect.arrayContaining([kept.sandbox, awaited.sandbox, lost]));
  const staging = join(place.config.workspace.dir, 'acme', 'alice', 'staging');
  expect(readdirSync(staging)).toHaveLength(2);

  const { cleaned, exitCode } = await clean();
  expect(exitCode).toBe(0);
  expect({ ...cleaned, dryRun: true }).toEqual(trial.cleaned);
  expect(kinds(cleaned.removed, 'container')).toEqual([lost]);
  expect(kinds(cleaned.removed, 'lease')).toEqual([expect.stringContaining(forgotten)]);
  expect(kinds(cleaned.removed, 'worker')).toHaveLength(1);
  expect(kinds(cleaned.removed, 'batch')).toEqual([expect.stringMatching(/^acme\/alice\/committed~/)]);
  expect(kinds(cleaned.removed, 'staging')).toEqual([expect.stringMatching(/^acme\/alice\/staged~/)]);
  expect(cleaned.kept).toContainEqual({ kind: 'container', name: kept.sandbox, reason: 'of a living worker' });
  // Its program goes on until the next worker of this host takes it over.
  expect(cleaned.kept).toContainEqual({ kind: 'container', name: awaited.sandbox, reason: 'leased' });
  expect(cleaned.bytes).toBeGreaterThanOrEqual('four'.length);

  for (const name of foreign) expect(await docker.inspect(name)).toBeDefined();
  expect(await docker.inspect(lost)).toBeUndefined();
  expect(readdirSync(staging)).toEqual([expect.stringMatching(/^alive~/)]);
  expect(readdirSync(join(staging, '../files'))).toEqual(['committed.txt']);
  const leased = (await place.leases()).map(({ sandboxName }) => sandboxName);
  expect(leased.sort()).toEqual([kept.sandbox, awaited.sandbox].sort());
  expect((await docker.inspect(kept.sandbox))?.State.Running).toBe(true);
  await kept.run.cancel();
  await expect(kept.run.result()).rejects.toMatchObject({ how: 'cancelled' });

  const again = await clean();
  expect(again.cleaned.removed).toEqual([]);
  expect((await setup.command('clean')).stdout).toContain('Nothing is left over.');
});

test('a living worker says which image it needs, so that it is not removed as one of another version', async () => {
  await worker('another');
  const store = await openLeaseStore(place.config.stateDir);
  try {
    expect(store.workers().map(({ image }) => image)).toContain(sandboxImageTag());
  } finally {
    await store.close();
  }
});

test('images of this version are never among those that would go', async () => {
  const { cleaned, exitCode } = await clean('--images', '--older-than', '0', '--dry-run');
  expect(exitCode).toBe(0);
  expect(kinds(cleaned.removed, 'image')).not.toContain(sandboxImageTag());
});

test('where no engine answers the rest is cleaned, and the exit code is 69', async () => {
  await publisher('late', { dieAt: { step: 'staged', count: 1 } });
  const end = await setup.start(['clean', '--json'], { settings: { DOCKER_HOST: `unix://${place.dir}/none.sock` } })
    .ended;
  expect(end.exitCode).toBe(69);
  const cleaned = JSON.parse(end.stdout) as Cleaned;
  expect(cleaned.failures).toEqual([expect.objectContaining({ code: 'ENGINE_UNAVAILABLE' })]);
  expect(kinds(cleaned.removed, 'staging')).toEqual([expect.stringMatching(/^acme\/alice\/late~/)]);
  expect(end.stderr).toContain('none.sock');
});
