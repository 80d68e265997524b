import { HourglassError } from '../contract';
import type { SandboxEnd } from '../engine/engine';
import type { GuestChannel } from './channel';
import { isLeaving, StreamBroken, TakenOver } from './leave';
import { outcomeOf, outcomeWithoutEnd, withoutFiles, type KillCause } from './outcome';
import type { Program, ProgramOutcome, RunEvents } from './program';
import { ReceivedRun } from './received';
import { stageProgram } from './stage';

/** How long a guest may take to kill its program before its container is killed. */
const KILL_GRACE_MS = 1_000;
/** A guest that has killed its program and sends what is left gets this many times the grace. */
const DRAIN_GRACES = 3;
/** From START to STARTED: a fork, or nothing at all. */
const START_GRACE_MS = 30_000;
/** A stream that has not ended this long after the kill of its container is given up. */
const STREAM_GRACE_MS = 2_000;

/** What a run needs of its sandbox beside the channel. */
export interface RunOptions {
  readonly signal: AbortSignal;
  /** Asks the engine how the container ended. Never rejects. */
  end(): Promise<SandboxEnd>;
  /** Kills the container: the backstop. Never rejects. */
  kill(): Promise<void>;
  /** How long the guest may take to answer KILL, in ms. Default: 1,000. */
  readonly killGraceMs?: number;
}

/**
 * Runs one program to its end and returns what it left behind.
 *
 * Resolves for every outcome that the program caused, a timeout and no memory included; the first terminal cause counts.
 * Rejects with the signal's reason when it aborts, else with HourglassError INPUT_FILE_ERROR, SANDBOX_LOST or
 * PROTOCOL_ERROR. In every case no process of the program is left, or its container is dead; but where the reason is
 * LeaveRunning and the program may have started, or where it is TakenOver or StreamBroken, it goes on. Requires: the guest is READY and had no run; nobody else reads
 * the channel meanwhile.
 */
export async function runProgram(
  channel: GuestChannel,
  program: Program,
  events: RunEvents,
  options: RunOptions,
): Promise<ProgramOutcome> {
  options.signal.throwIfAborted();
  return new Run(channel, program, events, options).complete();
}

/** A program that another host has started. */
export interface StartedProgram {
  /** Since its start, in ms. */
  readonly ranMs: number;
  /** Whether the guest says that it has ended: what it left behind is all that is missing. */
  readonly hasEnded: boolean;
}

/**
 * Goes on with a program that runs or has run, as `runProgram` does. Requires: the guest was taken over and its program had
 * started. The time that it ran before counts.
 */
export async function resumeProgram(
  channel: GuestChannel,
  program: Program,
  started: StartedProgram,
  events: RunEvents,
  options: RunOptions,
): Promise<ProgramOutcome> {
  options.signal.throwIfAborted();
  return new Run(channel, program, events, options, started).complete();
}

class Run {
  readonly #received: ReceivedRun;
  readonly #staging = new AbortController();
  readonly #leave = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  #cause: KillCause | undefined;
  #containerKill: Promise<void> | undefined;
  #isOver = false;

  constructor(
    private readonly channel: GuestChannel,
    private readonly program: Program,
    private readonly events: RunEvents,
    private readonly options: RunOptions,
    private readonly started?: StartedProgram,
  ) {
    this.#received = new ReceivedRun(program, events);
  }

  async complete(): Promise<ProgramOutcome> {
    const { signal } = this.options;
    const onAbort = (): void => (this.#mayLeave ? this.#leave.abort(signal.reason) : this.#stop('cancelled'));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (this.started === undefined) this.events.onPhase?.('staging-in');
      const said = this.started ? this.#hearAgain(this.started) : this.#stage();
      const outcome = await Promise.race([this.#receive(), said, rejectedBy(this.#leave.signal)]);
      signal.throwIfAborted();
      this.events.onPhase?.('ended');
      return outcome;
    } catch (error) {
      // Without the guest's word that all is dead, nothing that may have started goes on.
      const goesOn = this.#received.state !== 'staging' && this.#received.end === undefined;
      const leaves = this.#leave.signal.aborted || error instanceof TakenOver || error instanceof StreamBroken;
      if (goesOn && !leaves) await this.#killContainer();
      throw signal.aborted ? signal.reason : error;
    } finally {
      this.#isOver = true;
      signal.removeEventListener('abort', onAbort);
      this.#staging.abort();
      for (const timer of this.#timers) clearTimeout(timer);
    }
  }

  /** Sends the program. Never resolves: what the guest says decides; rejects where the program cannot be sent. */
  async #stage(): Promise<never> {
    try {
      await stageProgram(this.channel, this.program, this.events, this.#staging.signal);
      this.#staging.signal.throwIfAborted();
      await this.events.onStart?.();
      this.#staging.signal.throwIfAborted();
      this.#received.expectStart();
      this.#after(START_GRACE_MS, () => this.#received.state === 'staged' && this.#abandon());
      await this.channel.send('START', 0, {});
    } catch (error) {
      const isBroken = error instanceof HourglassError && error.code === 'SANDBOX_LOST';
      if (!isBroken && !this.#staging.signal.aborted) throw error;
      // The guest's last words, or the end of its stream, say more than that it takes nothing any more.
      this.#after(this.#graceMs, () => this.#abandon());
    }
    return new Promise<never>(() => undefined);
  }

  /** Never resolves: what the guest says decides. */
  #hearAgain({ ranMs }: StartedProgram): Promise<never> {
    this.#received.expectAgain(ranMs);
    this.#after(START_GRACE_MS, () => this.#received.state === 'staged' && this.#abandon());
    return new Promise<never>(() => undefined);
  }

  /** What has not started would not go on by itself. */
  get #mayLeave(): boolean {
    return isLeaving(this.options.signal) && this.#received.state !== 'staging';
  }

  async #receive(): Promise<ProgramOutcome> {
    for (;;) {
      const frame = await this.channel.next();
      if (frame === undefined) return this.#onStreamEnded();
      if (frame.type === 'ATTACHED') throw new TakenOver();
      this.#received.accept(frame);
      if (frame.type === 'STARTED') this.#onStarted();
      if (this.#received.end === undefined) continue;
      this.options.signal.throwIfAborted();
      const outcome = outcomeOf(this.program, this.#received, this.#received.end, this.#cause);
      return this.#containerKill === undefined ? outcome : withoutFiles(outcome);
    }
  }

  #onStarted(): void {
    this.events.onPhase?.('running');
    const { ranMs, hasEnded } = this.started ?? { ranMs: 0, hasEnded: false };
    if (hasEnded) this.#after(START_GRACE_MS, () => this.#abandon());
    else this.#after(Math.max(0, this.program.timeoutMs - ranMs), () => this.#stop('timeout'));
  }

  /** Ends the program by the guest, and where that does not answer in time by its container. The first cause counts. */
  #stop(cause: KillCause): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    this.#staging.abort(this.options.signal.reason);
    this.#received.expectKill();
    this.channel.send('KILL', 0, { reason: cause }).catch(() => undefined);
    this.#after(this.#graceMs, () => this.#onGraceOver());
  }

  #onGraceOver(): void {
    if (this.#received.state !== 'draining') return this.#abandon();
    this.#after(DRAIN_GRACES * this.#graceMs, () => this.#abandon());
  }

  get #graceMs(): number {
    return this.options.killGraceMs ?? KILL_GRACE_MS;
  }

  /** Kills the container, which ends its stream; a stream that does not end by that is closed. */
  #abandon(): void {
    void this.#killContainer().then(() => this.#after(STREAM_GRACE_MS, () => this.channel.close()));
  }

  #killContainer(): Promise<void> {
    this.#containerKill ??= this.options.kill();
    return this.#containerKill;
  }

  async #onStreamEnded(): Promise<ProgramOutcome> {
    this.options.signal.throwIfAborted();
    if (this.#isOver) throw new HourglassError('SANDBOX_LOST', 'the run is over');
    if (this.#cause === 'timeout' && this.#containerKill !== undefined) {
      await this.#containerKill;
      return outcomeWithoutEnd(this.program, this.#received, 'TIMEOUT');
    }
    const end = await this.options.end();
    if (end.oomKilled) return outcomeWithoutEnd(this.program, this.#received, 'MEMORY_LIMIT');
    const isBroken = end.mayRun === true && this.#containerKill === undefined && this.#received.state !== 'staging';
    if (isBroken) throw new StreamBroken(this.#describeLoss(end), this.channel.cause);
    throw new HourglassError('SANDBOX_LOST', this.#describeLoss(end), {}, { cause: this.channel.cause });
  }

  #describeLoss({ exitCode, lost }: SandboxEnd): string {
    const when = this.#received.elapsedMs === undefined ? 'before the program started' : 'while the program ran';
    if (this.#containerKill !== undefined) return `the sandbox did not answer ${when} and was killed`;
    if (lost) return `the sandbox vanished ${when}`;
    return exitCode === undefined
      ? `the stream to the sandbox broke ${when}`
      : `the sandbox ended ${when} with exit code ${exitCode}`;
  }

  #after(ms: number, action: () => unknown): void {
    if (this.#isOver) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, ms);
    this.#timers.add(timer);
  }
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );
}
