import { setTimeout as delay } from 'node:timers/promises';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Sandbox, SandboxEnd, SandboxSpec } from '../engine';
import { withDeadline } from './deadline';
import type { DockerClient } from './docker-client';
import { OutputStream } from './output-stream';

/** How long `end` waits for a container whose stream has ended to be down. */
const DOWN_MS = 2_000;
/** Longest wait for one answer of the engine about a container on its way out. */
const ANSWER_MS = 15_000;
const LOST: SandboxEnd = { exitCode: undefined, oomKilled: false, lost: true };
const SIGKILL_EXIT = 137;
/** How often, and in what interval, a kill that nobody explains is looked at. */
const OOM_LOOKS = 5;
const OOM_LOOK_MS = 200;

/** A container of ours whose guest is attached. */
export class ContainerSandbox implements Sandbox {
  readonly input: Writable;
  readonly output: Readable;
  readonly #output = new OutputStream();
  readonly #stream: Duplex;
  readonly #client: DockerClient;
  #killed = false;
  #destroyed: Promise<void> | undefined;

  constructor(
    client: DockerClient,
    stream: Duplex,
    readonly name: string,
    readonly containerId: string,
    readonly spec: SandboxSpec,
  ) {
    this.#client = client;
    this.#stream = stream;
    this.input = stream;
    this.output = this.#output;
    connect(stream, this.#output);
  }

  diagnostics(): string {
    return this.#output.diagnostics();
  }

  async end(): Promise<SandboxEnd> {
    const down = (signal: AbortSignal): Promise<void> => this.#client.wait(this.containerId, { signal });
    // One that is still running after that is an answer, too: the inspection below gives it.
    await withDeadline(DOWN_MS, down).catch(() => undefined);
    try {
      return await this.#look(OOM_LOOKS);
    } catch {
      return { ...LOST, mayRun: true };
    }
  }

  /** An engine may hear of the end before it hears that memory was its cause: a SIGKILL of nobody's is looked at again. */
  async #look(looks: number): Promise<SandboxEnd> {
    const facts = await withDeadline(ANSWER_MS, (signal) => this.#client.inspect(this.containerId, { signal }));
    if (facts === undefined) return LOST;
    const { Running, ExitCode, OOMKilled } = facts.State;
    if (Running) return { exitCode: undefined, oomKilled: false, lost: false, mayRun: true };
    const isUnexplained = ExitCode === SIGKILL_EXIT && !this.#killed && !OOMKilled;
    if (!isUnexplained || looks <= 1)
      return { exitCode: ExitCode, oomKilled: OOMKilled && ExitCode === SIGKILL_EXIT && !this.#killed, lost: false };
    await delay(OOM_LOOK_MS);
    return this.#look(looks - 1);
  }

  async kill(): Promise<void> {
    this.#killed = true;
    await withDeadline(ANSWER_MS, (signal) => this.#client.kill(this.containerId, { signal })).catch(() => undefined);
  }

  destroy(): Promise<void> {
    this.#destroyed ??= this.#destroy();
    return this.#destroyed;
  }

  async #destroy(): Promise<void> {
    this.#killed = true;
    this.#stream.destroy();
    await removeContainer(this.#client, this.containerId);
  }
}

/** Removes a container by id or name; tries twice, because an engine under load fails removals that work a moment later. */
export async function removeContainer(client: DockerClient, idOrName: string): Promise<void> {
  const remove = (signal: AbortSignal): Promise<void> => client.remove(idOrName, { signal });
  await withDeadline(ANSWER_MS, remove).catch(() => withDeadline(ANSWER_MS, remove));
}

/** Feeds the demultiplexer with back-pressure; a stream that breaks ends it, as the end of the container does. */
function connect(stream: Duplex, output: OutputStream): void {
  output.on('error', () => stream.destroy());
  stream.on('error', () => output.end());
  stream.on('close', () => output.end());
  stream.pipe(output);
}
