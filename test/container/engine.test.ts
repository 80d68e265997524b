import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { Duplex, pipeline } from 'node:stream';
import { sandboxImageTag } from '../../infra/setup/index.js';
import { ContainerEngine, type ContainerEngineOptions } from '../../src/engine/container/container-engine';
import { DockerClient, type DockerInspect } from '../../src/engine/container/docker-client';
import { resolveEndpoint, type Endpoint } from '../../src/engine/container/endpoint';
import type { SandboxSpec } from '../../src/engine/engine';
import { GuestChannel } from '../../src/runner';
import { SILENT } from '../../src/telemetry/log';
import { patience } from '../support/patience';

const SPEC: SandboxSpec = { runtime: 'shell', preload: [], memoryMb: 64, diskMb: 32, cpuCores: 1, maxPids: 64 };
const OWNER = { hostId: `test-${randomUUID()}`, workerId: randomUUID() };
const OPTIONS = {
  image: sandboxImageTag(),
  runtime: undefined,
  leaseMs: patience(60_000),
  bootTimeoutMs: patience(30_000),
};
const ENDPOINT = resolveEndpoint(process.env['DOCKER_HOST']);

type Step = 'create' | 'inspect' | 'attach' | 'start';
const STEPS: readonly Step[] = ['create', 'inspect', 'attach', 'start'];

/** The real client; something may happen after a step of a boot has been carried out. */
class MeddledClient extends DockerClient {
  constructor(
    endpoint: Endpoint,
    private readonly after: (step: Step) => void,
    private readonly alter: (facts: DockerInspect) => DockerInspect = (facts) => facts,
  ) {
    super(endpoint);
  }

  override create: DockerClient['create'] = (...args) => this.#then('create', super.create(...args));
  override attach: DockerClient['attach'] = (...args) => this.#then('attach', super.attach(...args));
  override start: DockerClient['start'] = (...args) => this.#then('start', super.start(...args));
  override inspect: DockerClient['inspect'] = async (...args) => {
    const facts = await this.#then('inspect', super.inspect(...args));
    return facts && this.alter(facts);
  };

  async #then<T>(step: Step, call: Promise<T>): Promise<T> {
    const answer = await call;
    try {
      this.after(step);
      return answer;
    } catch (error) {
      if (answer instanceof Duplex) answer.destroy();
      throw error;
    }
  }
}

const never = (): AbortSignal => new AbortController().signal;
const client = new DockerClient(ENDPOINT);
const engine = openEngine(client);

function openEngine(of: DockerClient, options: Partial<ContainerEngineOptions> = {}): ContainerEngine {
  return new ContainerEngine(of, { ...OPTIONS, ...options }, SILENT);
}

async function mine(): Promise<string[]> {
  const listed = await engine.listContainers();
  return listed.filter(({ origin }) => origin?.hostId === OWNER.hostId).map(({ name }) => name);
}

afterEach(async () => expect(await mine()).toEqual([]));
afterAll(() => client.close());

test('a booted sandbox says READY over its stream, and destroying it leaves nothing', async () => {
  const sandbox = await engine.boot(SPEC, OWNER, never());
  expect(sandbox.name).toMatch(/^hourglass-[0-9a-f]{16}$/);
  expect(await mine()).toEqual([sandbox.name]);
  const channel = GuestChannel.open(sandbox);
  expect(await channel.waitReady(patience(30_000), never())).toMatchObject({ pid: 1 });
  await Promise.all([sandbox.destroy(), sandbox.destroy()]);
  await sandbox.destroy();
});

test('an engine at the other end of a TCP connection serves as well', async () => {
  const proxy = createServer((near) => {
    const far = connect({ path: ENDPOINT.socketPath ?? '', host: ENDPOINT.host, port: ENDPOINT.port });
    pipeline(near, far, near, () => undefined);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  const remote = new DockerClient(resolveEndpoint(`tcp://127.0.0.1:${port}`));
  const sandbox = await openEngine(remote).boot(SPEC, OWNER, never());
  expect(await GuestChannel.open(sandbox).waitReady(patience(30_000), never())).toMatchObject({ pid: 1 });
  await sandbox.destroy();
  remote.close();
  proxy.close();
});

// A container has its image's labels, too.
const LABELS_OF_IMAGE = ['image', 'dependencies', 'base'].map((name) => `io.hourglass.${name}`);

test('R41: the engine is told nothing about the worker and nothing but ids', async () => {
  const sandbox = await engine.boot(SPEC, OWNER, never());
  const facts = await client.inspect(sandbox.containerId);
  const labels = Object.entries(facts?.Config['Labels'] as Record<string, string>);
  const ours = labels.filter(([name]) => name.startsWith('io.hourglass.') && !LABELS_OF_IMAGE.includes(name));
  expect(Object.fromEntries(ours)).toEqual({
    'io.hourglass.host': OWNER.hostId,
    'io.hourglass.worker': OWNER.workerId,
    'io.hourglass.key': expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    'io.hourglass.created': expect.stringMatching(/^\d{13}$/) as string,
  });
  expect(facts?.Config['Env']).toEqual(['PATH=/opt/venv/bin:/usr/local/bin:/usr/bin:/bin', 'LANG=C.UTF-8', 'TZ=UTC']);
  await sandbox.destroy();
});

test.each(STEPS)('R12: a boot that is cancelled during %s rejects with the reason and leaves nothing', async (step) => {
  const controller = new AbortController();
  const reason = new Error('cancelled by the caller');
  const meddled = new MeddledClient(ENDPOINT, (done) => done === step && controller.abort(reason));
  await expect(openEngine(meddled).boot(SPEC, OWNER, controller.signal)).rejects.toBe(reason);
  meddled.close();
});

test.each(STEPS)('R12: a boot that fails after %s rejects and leaves nothing', async (step) => {
  const meddled = new MeddledClient(ENDPOINT, (done) => {
    if (done === step) throw new Error(`broken after ${step}`);
  });
  await expect(openEngine(meddled).boot(SPEC, OWNER, never())).rejects.toThrow(`broken after ${step}`);
  meddled.close();
});

test.each<[string, (facts: DockerInspect) => DockerInspect]>([
  ['HostConfig.CapAdd', (facts) => ({ ...facts, HostConfig: { ...facts.HostConfig, CapAdd: ['SYS_ADMIN'] } })],
  ['HostConfig.Memory', (facts) => ({ ...facts, HostConfig: { ...facts.HostConfig, Memory: 0 } })],
  ['Config.User', (facts) => ({ ...facts, Config: { ...facts.Config, User: '' } })],
])('R08: a container whose %s is not as it has to be never starts', async (field, alter) => {
  const steps: Step[] = [];
  const meddled = new MeddledClient(ENDPOINT, (step) => steps.push(step), alter);
  await expect(openEngine(meddled).boot(SPEC, OWNER, never())).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringContaining(`${field} is`) as string,
  });
  expect(steps).toContain('inspect');
  expect(steps).not.toContain('start');
  meddled.close();
});

test('a missing image is named, with the command that builds it', async () => {
  const image = 'hourglass/no-such-image:0';
  await expect(openEngine(client, { image }).boot(SPEC, OWNER, never())).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringMatching(/hourglass\/no-such-image:0.*hourglass setup/) as string,
  });
});

test('an engine that is not there is named', async () => {
  const nowhere = new DockerClient(resolveEndpoint('unix:///nowhere/docker.sock'));
  const missing = openEngine(nowhere).boot(SPEC, OWNER, never());
  await expect(missing).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringContaining('unix:///nowhere/docker.sock') as string,
  });
  nowhere.close();
});

describe('the end of a sandbox', () => {
  test('R14: is told when it is killed, and is not taken for a lack of memory', async () => {
    const sandbox = await engine.boot(SPEC, OWNER, never());
    const ended = once(sandbox.output.resume(), 'end');
    await sandbox.kill();
    await ended;
    expect(await sandbox.end()).toEqual({ exitCode: 137, oomKilled: false, lost: false });
    await sandbox.destroy();
  });

  test('is told when its container is gone', async () => {
    const sandbox = await engine.boot(SPEC, OWNER, never());
    await client.remove(sandbox.containerId);
    expect(await sandbox.end()).toEqual({ exitCode: undefined, oomKilled: false, lost: true });
    await sandbox.kill();
    await sandbox.destroy();
  });

  test('R12: comes by itself when nobody renews its lease', async () => {
    const sandbox = await openEngine(client, { leaseMs: 1_000 }).boot(SPEC, OWNER, never());
    await once(sandbox.output.resume(), 'end');
    expect(await sandbox.end()).toMatchObject({ oomKilled: false, lost: false });
    await sandbox.destroy();
  });
});

test('R24: the client offers nothing but its calls: no exec, no archive, no logs', () => {
  const calls = Object.getOwnPropertyNames(DockerClient.prototype).filter((name) => name !== 'constructor');
  const expected = [
    'attach',
    'close',
    'create',
    'info',
    'inspect',
    'inspectImage',
    'kill',
    'list',
    'ping',
    'remove',
    'start',
    'version',
    'wait',
  ];
  expect(calls.sort()).toEqual(expected);
});
