import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { HourglassError } from '../../contract';
import type { Log } from '../../telemetry/log';
import type { BootOptions, Engine, EngineInfo, RunningSandbox, Sandbox, SandboxOwner, SandboxSpec } from '../engine';
import { sandboxKey } from '../sandbox-spec';
import { ContainerSandbox, removeContainer } from './container-sandbox';
import type { CreateBody, HostConfig } from './create-body';
import { withDeadline } from './deadline';
import type { DockerClient, DockerImage, DockerInfo, DockerInspect } from './docker-client';
import { imageMissing, statusOf } from './docker-errors';
import { engineFacts, type EngineFacts } from './engine-facts';
import { createBody } from './hardening';
import { LABELS, readLabels, writeLabels, type ListedContainer } from './labels';
import { guestMemoryMb } from './sizes';
import { findDifferences, type Difference } from './verify';

const INFO_MS = 15_000;
/** Listing thousands takes an engine seconds. */
const LIST_MS = 60_000;

export interface ContainerEngineOptions {
  readonly image: string;
  /** OCI runtime; undefined: the engine's default. */
  readonly runtime: string | undefined;
  /** A guest that hears nothing from a worker for longer ends itself. */
  readonly leaseMs: number;
  /** Longest wait for each answer of the engine while a container boots. */
  readonly bootTimeoutMs: number;
  /** Whether an engine that cannot limit processor shares is good enough. */
  readonly acceptsNoCpuLimit?: boolean;
}

/** Sandboxes that are containers of a Docker engine. */
export class ContainerEngine implements Engine {
  readonly kind = 'container';
  readonly image: string;
  readonly #client: DockerClient;
  readonly #options: ContainerEngineOptions;
  readonly #log: Log;
  /** What images hand down, by image id. */
  readonly #images = new Map<string, DockerImage>();
  #info: DockerInfo | undefined;
  readonly #warned = new Set<string>();

  constructor(client: DockerClient, options: ContainerEngineOptions, log: Log) {
    this.image = options.image;
    this.#client = client;
    this.#options = options;
    this.#log = log;
  }

  async info(): Promise<EngineInfo> {
    const info = await this.#dockerInfo();
    return {
      version: info.ServerVersion,
      cgroupVersion: info.CgroupVersion === '2' ? '2' : '1',
      cpus: info.NCPU,
      memoryBytes: info.MemTotal,
      runtimes: Object.keys(info.Runtimes ?? {}),
    };
  }

  async ping(signal: AbortSignal): Promise<void> {
    await this.#client.ping({ signal });
  }

  /** What the engine says of itself now, for the check of a host. Rejects with HourglassError ENGINE_UNAVAILABLE. */
  async facts(): Promise<EngineFacts> {
    const askedAt = Date.now();
    const info = await withDeadline(INFO_MS, (signal) => this.#client.info({ signal }));
    const answeredAt = Date.now();
    this.#info = info;
    const version = await withDeadline(INFO_MS, (signal) => this.#client.version({ signal }));
    return engineFacts(info, version, { askedAt, answeredAt });
  }

  /** Labels of the image; undefined where the engine does not have it. Rejects with HourglassError ENGINE_UNAVAILABLE. */
  async imageLabels(): Promise<Readonly<Record<string, string>> | undefined> {
    const image = await this.#step((signal) => this.#client.inspectImage(this.image, { signal }));
    return image && (image.Config.Labels ?? {});
  }

  /** File to which the engine copies what a sandbox prints; undefined where it keeps none, or no such sandbox. */
  async logFile(containerId: string): Promise<string | undefined> {
    const facts = await this.#step((signal) => this.#client.inspect(containerId, { signal }));
    return facts?.LogPath || undefined;
  }

  idleMemoryMb(spec: SandboxSpec): number {
    return guestMemoryMb(spec);
  }

  async boot(
    spec: SandboxSpec,
    owner: SandboxOwner,
    signal: AbortSignal,
    { hurry }: BootOptions = {},
  ): Promise<Sandbox> {
    signal.throwIfAborted();
    const name = `hourglass-${randomBytes(8).toString('hex')}`;
    const labels = writeLabels(owner, sandboxKey(spec), Date.now());
    const { image, runtime, leaseMs } = this.#options;
    const body = createBody({ image, spec, runtime, leaseMs, labels, hurry });
    try {
      return await this.#boot(name, body, spec, signal);
    } catch (error) {
      await this.#removeRemains(name);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  async attach({ name, containerId, spec }: RunningSandbox, signal: AbortSignal): Promise<Sandbox | undefined> {
    signal.throwIfAborted();
    const facts = await this.#step((step) => this.#client.inspect(containerId, { signal: step }));
    if (facts?.State.Running !== true) return undefined;
    const stream = await this.#step((step) => this.#client.attach(containerId, { signal: step }));
    return new ContainerSandbox(this.#client, stream, name, containerId, spec);
  }

  /** Every container with a label of ours, whoever made it, running or not. */
  async listContainers(): Promise<ListedContainer[]> {
    const listed = await withDeadline(LIST_MS, (signal) => this.#client.list(LABELS.host, { signal }));
    return listed.map(({ Id, Names, State, Labels }) => ({
      id: Id,
      name: Names[0]?.replace(/^\//, '') ?? '',
      isRunning: State === 'running' || State === 'paused' || State === 'restarting',
      origin: readLabels(Labels),
    }));
  }

  /** Kills and removes a container; one that is gone is fine. */
  async removeContainer(containerId: string): Promise<void> {
    await removeContainer(this.#client, containerId);
  }

  /**
   * A create or start that has begun is never abandoned because of the signal: the engine might carry it out after
   * the removal of what it left. The signal is obeyed between the steps.
   */
  async #boot(name: string, body: CreateBody, spec: SandboxSpec, signal: AbortSignal): Promise<Sandbox> {
    const id = await this.#step((step) => this.#create(name, body, step));
    signal.throwIfAborted();
    const stream = await this.#attachVerified(id, body);
    const sandbox = new ContainerSandbox(this.#client, stream, name, id, spec);
    try {
      signal.throwIfAborted();
      await this.#step((step) => this.#client.start(id, { signal: step }));
      signal.throwIfAborted();
      return sandbox;
    } catch (error) {
      stream.destroy();
      throw error;
    }
  }

  /** Attached before the start, so that no byte is lost; verified at the same time, because each is a round trip. */
  async #attachVerified(id: string, body: CreateBody): Promise<Duplex> {
    const attached = this.#step((step) => this.#client.attach(id, { signal: step }));
    const [verified, stream] = await Promise.allSettled([this.#verify(id, body), attached]);
    if (verified.status === 'fulfilled') return attached;
    if (stream.status === 'fulfilled') stream.value.destroy();
    throw verified.reason;
  }

  async #create(name: string, body: CreateBody, signal: AbortSignal): Promise<string> {
    try {
      return await this.#client.create(name, body, { signal });
    } catch (error) {
      throw error instanceof HourglassError && statusOf(error.cause) === 404 ? imageMissing(this.image) : error;
    }
  }

  /** Compares the container with what we asked for. Throws ENGINE_UNAVAILABLE that names the first field that differs. */
  async #verify(id: string, body: CreateBody): Promise<void> {
    const info = await this.#dockerInfo();
    const inspect = await this.#step((step) => this.#client.inspect(id, { signal: step }));
    const image = inspect && (await this.#imageOf(inspect));
    if (!inspect || !image) throw new HourglassError('ENGINE_UNAVAILABLE', 'A new container vanished from the engine.');
    const differences = findDifferences(body, inspect, image, this.#tolerated(info));
    const fatal = differences.find((difference) => !difference.tolerable);
    if (fatal !== undefined) throw hardeningFailed(fatal);
    for (const { field } of differences) this.#warnOnce(field, info);
  }

  /** What the engine drops because its kernel lacks the means, and a sandbox can do without. */
  #tolerated({ SwapLimit, CpuCfsQuota }: DockerInfo): ReadonlySet<keyof HostConfig> {
    const hasNoShare = this.#options.acceptsNoCpuLimit === true && CpuCfsQuota === false;
    return new Set([
      ...(SwapLimit ? [] : (['MemorySwap'] as const)),
      ...(hasNoShare ? (['CpuPeriod', 'CpuQuota'] as const) : []),
    ]);
  }

  async #imageOf(inspect: DockerInspect): Promise<DockerImage | undefined> {
    const known = this.#images.get(inspect.Image);
    if (known !== undefined) return known;
    const image = await this.#step((step) => this.#client.inspectImage(inspect.Image, { signal: step }));
    if (image !== undefined) this.#images.set(inspect.Image, image);
    return image;
  }

  async #dockerInfo(): Promise<DockerInfo> {
    this.#info ??= await withDeadline(INFO_MS, (signal) => this.#client.info({ signal }));
    return this.#info;
  }

  #step<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline(this.#options.bootTimeoutMs, call);
  }

  /** By name, because a create that failed on its way back has left a container whose id nobody knows. */
  async #removeRemains(name: string): Promise<void> {
    try {
      await removeContainer(this.#client, name);
    } catch (error) {
      this.#log.warn({ sandbox: name, error }, 'a container that did not boot could not be removed; the reaper will');
    }
  }

  #warnOnce(field: string, info: DockerInfo): void {
    if (this.#warned.has(field)) return;
    this.#warned.add(field);
    this.#log.warn(
      { field, engine: info.ServerVersion },
      'the engine cannot apply this limit; sandboxes do without it',
    );
  }
}

function hardeningFailed({ field, expected, actual }: Difference): HourglassError {
  return new HourglassError(
    'ENGINE_UNAVAILABLE',
    `The engine made a sandbox that is not as it has to be: ${field} is ${brief(actual)} instead of ${brief(expected)}.`,
  );
}

function brief(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, 200);
}
