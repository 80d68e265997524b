import type { Readable, Writable } from 'node:stream';
import type { Runtime } from '../contract';

/** What a sandbox must be at its birth; sandboxes with equal specs are interchangeable. */
export interface SandboxSpec {
  readonly runtime: Runtime;
  /** Python modules imported before the program arrives; sorted. */
  readonly preload: readonly string[];
  readonly memoryMb: number;
  readonly diskMb: number;
  readonly cpuCores: number;
  readonly maxPids: number;
}

/** How a container ended, as the engine says. */
export interface SandboxEnd {
  readonly exitCode: number | undefined;
  /** The kernel killed the guest itself for memory. */
  readonly oomKilled: boolean;
  /** The container is gone from the engine, or the engine cannot be asked. */
  readonly lost: boolean;
  /** It runs still, or the engine cannot be asked. Default: false. */
  readonly mayRun?: boolean;
}

/** One isolated place to run in: a container whose guest is attached. Used once, then destroyed. */
export interface Sandbox {
  /** `hourglass-{id}`; the name people see. */
  readonly name: string;
  readonly containerId: string;
  readonly spec: SandboxSpec;
  /** Bytes to the guest; honours back-pressure. */
  readonly input: Writable;
  /** Bytes from the guest, demultiplexed; honours back-pressure. Ends when the container ends or the stream breaks. */
  readonly output: Readable;
  /** Last few KiB the guest wrote to its own stderr, for the worker's log. */
  diagnostics(): string;
  /** Asks the engine how the container ended; waits briefly for it to be down. Never rejects. */
  end(): Promise<SandboxEnd>;
  /** Kills the container: the backstop when the guest does not answer. Never rejects. */
  kill(): Promise<void>;
  /** Closes the stream and removes the container. Idempotent; rejects only when the engine is unreachable. */
  destroy(): Promise<void>;
}

/** A sandbox as its record names it. */
export type RunningSandbox = Pick<Sandbox, 'name' | 'containerId' | 'spec'>;

/** Facts about an engine that policy and doctor need. */
export interface EngineInfo {
  readonly version: string;
  readonly cgroupVersion: '1' | '2';
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly runtimes: readonly string[];
}

/** How a sandbox is started. */
export interface BootOptions {
  /** A run waits for it: the guest leaves out what the run may not need. Default: false. */
  readonly hurry?: boolean;
}

/** Starts sandboxes. The container engine is the first; the isolate engine is the second behind the same interface. */
export interface Engine {
  readonly kind: 'container';
  readonly image: string;
  info(): Promise<EngineInfo>;
  /** Resolves when the engine answers now. Rejects with HourglassError ENGINE_UNAVAILABLE, or with the signal's reason. */
  ping(signal: AbortSignal): Promise<void>;
  /** Memory that a sandbox holds while it waits, in MB; its limit is not counted before a program uses it. */
  idleMemoryMb(spec: SandboxSpec): number;
  /**
   * Creates and starts a container and attaches to it. Resolves before the guest is READY: the caller waits for that
   * on the channel. Rejects with HourglassError ENGINE_UNAVAILABLE, or with the signal's reason; nothing is left then.
   */
  boot(spec: SandboxSpec, owner: SandboxOwner, signal: AbortSignal, options?: BootOptions): Promise<Sandbox>;
  /**
   * Attaches to a sandbox that runs already and whose owner is not there any more; undefined where it does not run.
   * Rejects with HourglassError ENGINE_UNAVAILABLE, or with the signal's reason; nothing is held then.
   */
  attach(running: RunningSandbox, signal: AbortSignal): Promise<Sandbox | undefined>;
  /** Removes a sandbox, running or not; one that is gone is fine. Rejects with HourglassError ENGINE_UNAVAILABLE. */
  removeContainer(containerId: string): Promise<void>;
  close(): Promise<void>;
}

/** Who answers for a sandbox; written into its labels (ids only) and into the lease store. */
export interface SandboxOwner {
  readonly hostId: string;
  /** One worker process; a new one at every start. */
  readonly workerId: string;
}
