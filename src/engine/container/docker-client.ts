import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { inspect } from 'node:util';
import Docker from 'dockerode';
import type { CreateBody } from './create-body';
import { explainFailure, statusOf } from './docker-errors';
import type { Endpoint } from './endpoint';

/** What an engine says about itself, as far as we ask. */
export interface DockerInfo {
  readonly ServerVersion: string;
  readonly CgroupVersion?: string;
  readonly NCPU: number;
  readonly MemTotal: number;
  readonly Runtimes?: Readonly<Record<string, unknown>>;
  readonly SwapLimit: boolean;
  readonly DefaultRuntime?: string;
  readonly MemoryLimit?: boolean;
  readonly PidsLimit?: boolean;
  readonly CpuCfsQuota?: boolean;
  readonly CgroupDriver?: string;
  readonly SecurityOptions?: readonly string[] | null;
  readonly LiveRestoreEnabled?: boolean;
  readonly OSType?: string;
  readonly OperatingSystem?: string;
  readonly Architecture?: string;
  readonly KernelVersion?: string;
  /** Wall clock of the engine, RFC 3339. */
  readonly SystemTime?: string;
}

/** Versions of an engine's parts. */
export interface DockerVersion {
  readonly Components?: readonly { readonly Name: string; readonly Version: string }[] | null;
}

/** What an image hands down to its containers. */
export interface DockerImage {
  readonly Id: string;
  readonly Config: {
    readonly Env?: readonly string[] | null;
    readonly Entrypoint?: string | string[] | null;
    readonly Labels?: Readonly<Record<string, string>> | null;
  };
}

/** What an engine says about one container; fields beyond the state are compared, never trusted to be there. */
export interface DockerInspect {
  readonly Id: string;
  /** Id of the image. */
  readonly Image: string;
  readonly State: { readonly Running: boolean; readonly ExitCode: number; readonly OOMKilled: boolean };
  readonly Config: Readonly<Record<string, unknown>>;
  readonly HostConfig: Readonly<Record<string, unknown>>;
  readonly Mounts: readonly unknown[];
  /** File that the engine writes stdout and stderr to; empty where it keeps none. */
  readonly LogPath?: string;
}

/** One line of the engine's list of containers. */
export interface DockerListed {
  readonly Id: string;
  readonly Names: readonly string[];
  readonly State: string;
  readonly Labels: Readonly<Record<string, string>>;
}

export interface CallOptions {
  /** Gives up the call: the engine may carry it out nevertheless. */
  readonly signal?: AbortSignal;
}

// docker-modem formats its options to all depths for a debug line, printed or not, before each request: from an agent's
// sockets that reaches the whole process and blocks it for seconds.
function opaque(agent: Agent): Agent {
  return Object.defineProperty(agent, inspect.custom, { value: () => 'Agent' });
}

/**
 * The calls of the Docker Engine API that we use, without any policy. No exec and no archive call is among them.
 *
 * Every call rejects with HourglassError ENGINE_UNAVAILABLE, or with the signal's reason. A container that is gone is
 * an answer and no error wherever that is what the caller wants.
 */
export class DockerClient {
  readonly #docker: Docker;
  readonly #agent: Agent;
  readonly #endpoint: Endpoint;

  constructor(endpoint: Endpoint) {
    const { socketPath, host, port, protocol, ca, cert, key } = endpoint;
    this.#endpoint = endpoint;
    this.#agent = opaque(protocol === 'https' ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true }));
    const options = { socketPath, host, port, protocol, ca, cert, key, agent: this.#agent };
    this.#docker = new Docker(options);
  }

  async info(options: CallOptions = {}): Promise<DockerInfo> {
    // The client's own call knows no signal.
    return this.#call('describe itself', options, async (signal) => {
      return (await orAborted(this.#docker.info(), signal)) as DockerInfo;
    });
  }

  async version(options: CallOptions = {}): Promise<DockerVersion> {
    return this.#call('tell its version', options, async (abortSignal) => {
      // Missing in the types, not in the client.
      const docker: { version(request: object): Promise<unknown> } = this.#docker;
      return (await docker.version({ abortSignal })) as DockerVersion;
    });
  }

  /** Resolves when the engine answers. */
  async ping(options: CallOptions = {}): Promise<void> {
    // The client takes options; its types do not say so.
    const docker: { ping(request: object): Promise<unknown> } = this.#docker;
    await this.#call('answer', options, (abortSignal) => docker.ping({ abortSignal }));
  }

  /** The image's facts by name or id; undefined when it is not there. */
  async inspectImage(image: string, options: CallOptions = {}): Promise<DockerImage | undefined> {
    return this.#unlessMissing('inspect an image', options, async (abortSignal) => {
      // Missing in the types, not in the client.
      const request: object = { abortSignal };
      const answer: unknown = await this.#docker.getImage(image).inspect(request);
      return answer as DockerImage;
    });
  }

  /** Creates a container and resolves with its id. */
  async create(name: string, body: CreateBody, options: CallOptions = {}): Promise<string> {
    return this.#call('create a container', options, async (abortSignal) => {
      const request = { _query: { name }, _body: body, abortSignal };
      return (await this.#docker.createContainer(request)).id;
    });
  }

  /**
   * Opens the container's raw stream: writes are its stdin, reads are its multiplexed stdout and stderr. The signal
   * counts until the stream is there, and not for the stream.
   */
  async attach(id: string, options: CallOptions = {}): Promise<Duplex> {
    const query = { stream: true, stdin: true, stdout: true, stderr: true };
    return this.#call('attach to a container', options, async (signal) => {
      const handshake = new AbortController();
      const abort = (): void => handshake.abort(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      try {
        const request = { ...query, _query: query, hijack: true, abortSignal: handshake.signal };
        return (await this.#docker.getContainer(id).attach(request)) as Duplex;
      } finally {
        signal?.removeEventListener('abort', abort);
      }
    });
  }

  async start(id: string, options: CallOptions = {}): Promise<void> {
    await this.#call('start a container', options, (abortSignal) =>
      this.#docker.getContainer(id).start({ abortSignal }),
    );
  }

  /** The container's facts; undefined when it is gone. */
  async inspect(id: string, options: CallOptions = {}): Promise<DockerInspect | undefined> {
    return this.#unlessMissing('inspect a container', options, async (abortSignal) => {
      const answer: unknown = await this.#docker.getContainer(id).inspect({ abortSignal });
      return answer as DockerInspect;
    });
  }

  /** Resolves when the container is down or gone. */
  async wait(id: string, options: CallOptions = {}): Promise<void> {
    await this.#unlessMissing('wait for a container', options, (abortSignal) =>
      this.#docker.getContainer(id).wait({ abortSignal }),
    );
  }

  /** Sends SIGKILL; a container that is down or gone is fine. */
  async kill(id: string, options: CallOptions = {}): Promise<void> {
    await this.#unlessMissing('kill a container', options, (abortSignal) =>
      this.#docker.getContainer(id).kill({ abortSignal }),
    );
  }

  /** Kills and removes a container with its anonymous volumes; one that is gone, or going, is fine. */
  async remove(id: string, options: CallOptions = {}): Promise<void> {
    await this.#unlessMissing('remove a container', options, (abortSignal) => {
      const request = { force: true, v: true, abortSignal };
      return this.#docker.getContainer(id).remove(request);
    });
  }

  /** All containers, running or not, that carry the label. */
  async list(label: string, options: CallOptions = {}): Promise<DockerListed[]> {
    return this.#call('list containers', options, (abortSignal) =>
      this.#docker.listContainers({ all: true, filters: { label: [label] }, abortSignal }),
    );
  }

  /** Closes idle connections. Attached streams are their holders' to close. */
  close(): void {
    this.#agent.destroy();
  }

  async #call<T>(
    action: string,
    { signal }: CallOptions,
    run: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    try {
      return await run(signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw explainFailure(error, action, this.#endpoint.dockerHost);
    }
  }

  /** 404 says that the object is gone, 409 that it is down or on its way out: both are what these callers ask for. */
  async #unlessMissing<T>(
    action: string,
    options: CallOptions,
    run: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T | undefined> {
    return this.#call(action, options, async (signal) => {
      try {
        return await run(signal);
      } catch (error) {
        const status = statusOf(error);
        if (status === 404 || status === 409) return undefined;
        throw error;
      }
    });
  }
}

/** Settles as the call does, or rejects when the signal aborts; what the call comes to later is ignored. */
function orAborted<T>(call: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return call;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    call.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
