import { Duplex, PassThrough, type Writable } from 'node:stream';
import type { Engine, EngineInfo, Sandbox, SandboxEnd, SandboxSpec } from '../../../src/engine/engine';
import { HEADER_BYTES, MAGIC, PROTOCOL_VERSION, TO_GUEST, TO_HOST } from '../../../src/runner/protocol';

/** The guest's side of a sandbox that boots in no time: its READY frame, and what the pool sends to it. */
export class FakeSandbox implements Sandbox {
  readonly containerId: string;
  readonly output = new PassThrough();
  readonly input: Writable;
  readonly received: Buffer[] = [];
  destroyed = false;
  resets = 0;
  /** How the guest answers a reset. */
  resetAnswer: 'ready' | 'dies' | 'silence' = 'ready';

  constructor(
    readonly name: string,
    readonly spec: SandboxSpec,
    private readonly failDestroy: () => boolean,
  ) {
    this.containerId = `container-${name}`;
    this.input = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        this.received.push(chunk);
        done();
        if (chunk.length === HEADER_BYTES && chunk[3] === TO_GUEST.RESET) this.onReset();
      },
    });
  }

  sayReady(): void {
    const payload = Buffer.from(
      JSON.stringify({ protocol: PROTOCOL_VERSION, language: 'python', preload: [], pid: 1 }),
    );
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(MAGIC, 0);
    header.writeUInt8(PROTOCOL_VERSION, 2);
    header.writeUInt8(TO_HOST.READY, 3);
    header.writeUInt32BE(payload.length, 8);
    this.output.write(Buffer.concat([header, payload]));
  }

  private onReset(): void {
    this.resets += 1;
    if (this.resetAnswer === 'ready') this.sayReady();
    if (this.resetAnswer === 'dies') this.die();
  }

  /** As when the container ends: the stream closes. */
  die(): void {
    this.output.end();
    this.input.destroy();
  }

  diagnostics(): string {
    return 'said the guest';
  }

  async end(): Promise<SandboxEnd> {
    return { exitCode: 0, oomKilled: false, lost: false };
  }

  async kill(): Promise<void> {
    this.die();
  }

  async destroy(): Promise<void> {
    this.die();
    if (this.failDestroy()) throw new Error('the engine does not answer');
    this.destroyed = true;
  }
}

/** An engine whose boots end when and how a test says. */
export class FakeEngine implements Engine {
  readonly kind = 'container';
  readonly image = 'fake';
  readonly sandboxes: FakeSandbox[] = [];
  /** Boots that were asked for. */
  boots = 0;
  /** Boots wait for this; undefined: they end at once. */
  gate: Promise<void> | undefined;
  /** What boots fail with. */
  failure: Error | undefined;
  isSilent = false;
  failDestroy = false;

  async info(): Promise<EngineInfo> {
    return { version: '0', cgroupVersion: '2', cpus: 2, memoryBytes: 0, runtimes: [] };
  }

  async ping(): Promise<void> {
    return undefined;
  }

  idleMemoryMb(): number {
    return 10;
  }

  async attach(): Promise<undefined> {
    return undefined;
  }

  async removeContainer(): Promise<void> {
    return undefined;
  }

  async boot(spec: SandboxSpec, _owner: unknown, signal: AbortSignal): Promise<Sandbox> {
    this.boots += 1;
    const sandbox = new FakeSandbox(`s${this.boots}`, spec, () => this.failDestroy);
    await this.gate;
    signal.throwIfAborted();
    if (this.failure !== undefined) throw this.failure;
    this.sandboxes.push(sandbox);
    if (!this.isSilent) sandbox.sayReady();
    return sandbox;
  }

  async close(): Promise<void> {
    return undefined;
  }

  get alive(): FakeSandbox[] {
    return this.sandboxes.filter((sandbox) => !sandbox.destroyed);
  }
}
