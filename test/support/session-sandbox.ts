import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { sandboxImageTag } from '../../infra/setup/index.js';
import { RUNTIME_OF } from '../../src/contract';
import { ContainerEngine } from '../../src/engine/container/container-engine';
import { DockerClient } from '../../src/engine/container/docker-client';
import { resolveEndpoint } from '../../src/engine/container/endpoint';
import type { Sandbox } from '../../src/engine/engine';
import {
  GuestChannel,
  resumeProgram,
  runProgram,
  type Program,
  type ProgramOutcome,
  type RunEvents,
  type StartedProgram,
} from '../../src/runner';
import { SILENT } from '../../src/telemetry/log';
import { askEngine } from './engine-api';
import { patience } from './patience';

export const MAX_OUTPUT = 10_000;
/** What a call that went well, and one that was killed, say of their session. */
export const KEPT = { session: { state: 'kept', background: 0 }, error: undefined };
export const RESTORED = { session: { state: 'restored', background: 0 } };
/** Tests of what a kill leaves are none of how fast it is. */
const KILL_GRACE_MS = patience(10_000);
const ANSWER_MS = patience(20_000);
const OWNER = { hostId: `test-${randomUUID()}`, workerId: randomUUID() };

const engine = new ContainerEngine(
  new DockerClient(resolveEndpoint(process.env['DOCKER_HOST'])),
  { image: sandboxImageTag(), runtime: undefined, leaseMs: patience(120_000), bootTimeoutMs: patience(30_000) },
  SILENT,
);
const sandboxes: Sandbox[] = [];

/** Destroys the sandboxes of a test. */
export async function destroySandboxes(): Promise<void> {
  await Promise.all(sandboxes.splice(0).map((sandbox) => sandbox.destroy()));
}

export const closeEngine = (): Promise<void> => engine.close();

export type Use = Partial<Program> & { readonly code: string };

/** One sandbox whose guest serves the calls of a session. */
export class SessionSandbox {
  #calls = 0;
  #isFirst = true;

  private constructor(
    readonly sandbox: Sandbox,
    readonly channel: GuestChannel,
    readonly language: Program['language'],
  ) {}

  static async boot(language: Program['language'], limits: { memoryMb?: number } = {}): Promise<SessionSandbox> {
    const { signal } = new AbortController();
    const size = { memoryMb: 256, diskMb: 64, cpuCores: 1, maxPids: 64, ...limits };
    const sandbox = await engine.boot({ runtime: RUNTIME_OF[language], preload: [], ...size }, OWNER, signal);
    sandboxes.push(sandbox);
    const channel = GuestChannel.open(sandbox);
    await channel.waitReady(patience(30_000), signal);
    return new SessionSandbox(sandbox, channel, language);
  }

  /** Attaches as another host would. */
  async takeOver(): Promise<{ taken: SessionSandbox; state: Awaited<ReturnType<GuestChannel['takeOver']>> }> {
    const { signal } = new AbortController();
    this.channel.close();
    const sandbox = await engine.attach(this.sandbox, signal);
    if (sandbox === undefined) throw new Error('the sandbox does not run');
    sandboxes.push(sandbox);
    const channel = GuestChannel.open(sandbox);
    const state = await channel.takeOver(ANSWER_MS, signal);
    const taken = new SessionSandbox(sandbox, channel, this.language);
    taken.#calls = this.#calls;
    taken.#isFirst = state.state === 'idle';
    return { taken, state };
  }

  programOf(use: Use): Program {
    return {
      executionId: randomUUID(),
      language: this.language,
      inputJson: '{}',
      stdin: undefined,
      files: [],
      timeoutMs: patience(20_000),
      memoryMb: 256,
      diskMb: 64,
      maxOutputBytes: MAX_OUTPUT,
      saveFigures: false,
      session: { call: this.#calls },
      ...use,
    };
  }

  /** Makes ready for the next call, and whether it could go back where that is asked for. */
  async next(rollback?: number): Promise<boolean | undefined> {
    this.#isFirst = true;
    return (await this.channel.nextCall(rollback, ANSWER_MS, new AbortController().signal)).rolledBack;
  }

  /** Runs the next call. */
  async call(
    use: Use | string,
    events: RunEvents = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ProgramOutcome> {
    if (!this.#isFirst) await this.next();
    this.#isFirst = false;
    this.#calls += 1;
    const program = this.programOf(typeof use === 'string' ? { code: use } : use);
    const end = (): ReturnType<Sandbox['end']> => this.sandbox.end();
    return runProgram(this.channel, program, events, {
      signal,
      end,
      kill: () => this.sandbox.kill(),
      killGraceMs: KILL_GRACE_MS,
    });
  }

  /** Hears the call to its end that the guest, taken over, is in or has come to. */
  async resume(started: StartedProgram): Promise<ProgramOutcome> {
    const end = (): ReturnType<Sandbox['end']> => this.sandbox.end();
    const { signal } = new AbortController();
    const options = { signal, end, kill: () => this.sandbox.kill(), killGraceMs: KILL_GRACE_MS };
    return resumeProgram(this.channel, this.programOf({ code: '' }), started, {}, options);
  }

  /** Result of the next call, which must go well. */
  async result(use: Use | string): Promise<unknown> {
    const outcome = await this.call(use);
    if (outcome.error !== undefined) throw new Error(`${outcome.error.message}\n${outcome.stderr}`);
    return outcome.resultJson === undefined ? undefined : JSON.parse(outcome.resultJson);
  }

  /** Open descriptors of the guest, where this machine may see them, and the number of processes. */
  async size(): Promise<{ descriptors: number; processes: number }> {
    const path = `/containers/${this.sandbox.containerId}/top?ps_args=-eo%20pid,ppid`;
    const { Processes } = await askEngine<{ Processes: string[][] }>(path);
    const ids = new Set(Processes.map(([pid]) => pid));
    const guest = Processes.find(([, parent]) => !ids.has(parent))?.[0];
    let descriptors = 0;
    try {
      descriptors = readdirSync(`/proc/${guest}/fd`).length;
    } catch {
      // The engine is on another machine, or the descriptors are not ours to see.
    }
    return { descriptors, processes: Processes.length };
  }
}
