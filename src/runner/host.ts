import { HourglassError } from '../contract';
import type { SandboxEnd } from '../engine/engine';
import type { GuestChannel } from './channel';
import { outcomeOf, outcomeOfDeadGuest, type KillCause } from './outcome';
import type { Program, ProgramOutcome, RunEvents } from './program';
import { ReceivedRun } from './received';
import { stageProgram } from './stage';

/** How long a guest may take to kill its program before its container is killed. */
const KILL_GRACE_MS = 1_000;
/** From START to STARTED: a fork, or nothing at all. */
const START_GRACE_MS = 30_000;

/** What a run needs of its sandbox beside the channel. */
export interface RunOptions {
  readonly signal: AbortSignal;
  /** Asks the engine how the container ended. */
  end(): Promise<SandboxEnd>;
  /** Kills the container: the backstop. */
  kill(): Promise<void>;
  readonly killGraceMs?: number;
}

/**
 * Runs one program to its end and returns what it left behind.
 *
 * Resolves for every outcome that the program caused, a timeout and no memory included; the first terminal cause counts.
 * Rejects with the signal's reason when it aborts, else with HourglassError INPUT_FILE_ERROR, SANDBOX_LOST or
 * PROTOCOL_ERROR. In every case no process of the program is left, or its container is dead.
 */
export async function runProgram(
  channel: GuestChannel,
  program: Program,
  events: RunEvents,
  options: RunOptions,
): Promise<ProgramOutcome> {
  return new Run(channel, program, events, options).complete();
}

class Run {
  readonly #received: ReceivedRun;
  readonly #timers = new Set<NodeJS.Timeout>();
  #startedAt: number | undefined;
  #cause: KillCause | undefined;
  #isStuck = false;

  constructor(
    private readonly channel: GuestChannel,
    private readonly program: Program,
    private readonly events: RunEvents,
    private readonly options: RunOptions,
  ) {
    this.#received = new ReceivedRun(program, events);
  }

  async complete(): Promise<ProgramOutcome> {
    const { signal } = this.options;
    signal.throwIfAborted();
    const onAbort = (): void => this.#stop('cancelled');
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const outcome = await this.#run();
      signal.throwIfAborted();
      return outcome;
    } catch (error) {
      // Without the guest's word that all is dead, nothing of the program may go on.
      if (this.#received.end === undefined) await this.options.kill();
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      for (const timer of this.#timers) clearTimeout(timer);
    }
  }

  async #run(): Promise<ProgramOutcome> {
    this.events.onPhase?.('staging-in');
    await stageProgram(this.channel, this.program, this.events).catch((error: unknown) => this.#onStageFailed(error));
    this.#after(START_GRACE_MS, () => {
      if (!this.#received.hasStarted) this.#abandon();
    });
    while (this.#received.end === undefined) {
      const frame = await this.channel.next();
      if (frame === undefined) return this.#onStreamEnded();
      this.#received.accept(frame);
      if (this.#startedAt === undefined && this.#received.hasStarted) this.#onStarted();
    }
    this.events.onPhase?.('ended');
    return outcomeOf(this.program, this.#received, this.#received.end, this.#cause, this.#elapsedMs());
  }

  #onStarted(): void {
    this.#startedAt = performance.now();
    this.events.onPhase?.('running');
    this.#after(this.program.timeoutMs, () => this.#stop('timeout'));
  }

  /** Ends the program by the guest, and where that does not answer in time by its container. The first cause counts. */
  #stop(cause: KillCause): void {
    if (this.#cause !== undefined || this.#received.end !== undefined) return;
    this.#cause = cause;
    this.channel.send('KILL', 0, { reason: cause }).catch(() => undefined);
    this.#after(this.options.killGraceMs ?? KILL_GRACE_MS, () => this.#abandon());
  }

  #abandon(): void {
    if (this.#received.end !== undefined) return;
    this.#isStuck = true;
    void this.options.kill();
  }

  async #onStageFailed(error: unknown): Promise<void> {
    if (error instanceof HourglassError && error.code !== 'SANDBOX_LOST') throw error;
    const end = await this.options.end();
    throw new HourglassError('SANDBOX_LOST', describeLoss('before the program started', end), {}, { cause: error });
  }

  async #onStreamEnded(): Promise<ProgramOutcome> {
    if (this.#cause === 'timeout' && this.#isStuck) return this.#timedOutByForce();
    const end = await this.options.end();
    if (end.oomKilled && this.#startedAt !== undefined) {
      this.events.onPhase?.('ended');
      return outcomeOfDeadGuest(this.program, this.#received, this.#elapsedMs());
    }
    const when = this.#startedAt === undefined ? 'before the program started' : 'while the program ran';
    throw new HourglassError('SANDBOX_LOST', describeLoss(when, end), {}, { cause: this.channel.cause });
  }

  /** The guest did not answer the kill, so the container was killed: what had arrived is kept. */
  #timedOutByForce(): ProgramOutcome {
    this.events.onPhase?.('ended');
    const outcome = outcomeOfDeadGuest(this.program, this.#received, this.#elapsedMs());
    const message = `Execution timed out after ${this.program.timeoutMs}ms`;
    const warnings = ['the sandbox did not answer and was killed: the end of the output and the files are lost'];
    return { ...outcome, error: { code: 'TIMEOUT', type: 'Timeout', message }, warnings };
  }

  #elapsedMs(): number {
    return this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt;
  }

  #after(ms: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, ms);
    this.#timers.add(timer);
  }
}

function describeLoss(when: string, { exitCode, oomKilled, lost }: SandboxEnd): string {
  if (oomKilled) return `the sandbox was killed for memory ${when}`;
  if (lost) return `the sandbox vanished ${when}`;
  return `the sandbox ended ${when}${exitCode === undefined ? '' : ` with exit code ${exitCode}`}`;
}
