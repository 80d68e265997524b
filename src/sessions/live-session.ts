import { nowSince } from '../clock';
import { HourglassError, type Restored, type SessionKey } from '../contract';
import { endsSandbox } from '../execution/ends-sandbox';
import { runInSandbox } from '../execution/run-in-sandbox';
import { watchSandbox } from '../execution/watch-sandbox';
import type { LeasePhase, SessionHold } from '../leases/lease-store';
import type { LeasedSandbox } from '../pool';
import {
  arrangeTree,
  giveUpCall,
  isLeaving,
  LeaveRunning,
  type GuestState,
  type Program,
  type StartedProgram,
} from '../runner';
import type { FileKeeper } from './file-keeper';
import type { Arranged, ArrangedState, Caller, Ended, LiveParts, ProgramSource } from './live-parts';
import { keyOf } from './session-record';

/** How long a guest may take to be ready for the next call, or to give one up. */
const ANSWER_MS = 30_000;

/**
 * `new`: no program ran. `ready`: the guest waits for the next one. `ended`: the last one's files can be read. `running`: its end
 * was not heard yet.
 */
type Progress = 'new' | 'ready' | 'ended' | 'running';

interface Current {
  readonly callId: string;
  readonly outcome: Promise<unknown>;
}

/** A session whose sandbox this worker holds: one call at a time. */
export class LiveSession {
  #progress: Progress;
  /** What an earlier owner has begun, until somebody asks. */
  #unheard: GuestState | undefined;
  #programs: number;
  #current: Current | undefined;
  /** The latest program: what came of it is told again to whoever asks again. */
  #last: { readonly callId: string; readonly ended: Ended } | undefined;
  #over: HourglassError | undefined;
  #gone: Promise<void> | undefined;

  /** Requires: the record is one of a session. */
  constructor(private readonly parts: LiveParts) {
    const { state } = parts;
    this.#programs = Math.max(this.hold.programs, state?.call ?? 0);
    this.#unheard = typeof state?.elapsedMs === 'number' ? state : undefined;
    this.#progress = typeof state?.call === 'number' ? (state.state === 'idle' ? 'ready' : 'ended') : 'new';
  }

  get hold(): SessionHold {
    const { session } = this.parts.record.lease;
    if (session === undefined) throw new Error('the record is none of a session');
    return session;
  }

  get key(): SessionKey {
    const key = keyOf(this.parts.record.lease);
    if (key === undefined) throw new Error('the record is none of a session');
    return key;
  }

  get sandboxId(): string {
    return this.parts.leased.sandbox.name;
  }

  get sandbox(): LeasedSandbox['sandbox'] {
    return this.parts.leased.sandbox;
  }

  get channel(): LeasedSandbox['channel'] {
    return this.parts.leased.channel;
  }

  get keeper(): FileKeeper | undefined {
    return this.parts.keeper;
  }

  /** Whether a program has to run before its files can be read. */
  get isNew(): boolean {
    return this.#progress === 'new' || this.#progress === 'ready';
  }

  /** Programs that were begun. */
  get programs(): number {
    return this.#programs;
  }

  /** Whether it can be asked for anything: not ended, and nobody else's. */
  get isOurs(): boolean {
    return this.#over === undefined && this.parts.record.isOurs;
  }

  /** Does a call's work after that of the call before it. A call that is under way is joined, not begun again. */
  async exclusive<T>(callId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#current;
    // The attempts at one call have one task: the outcome has the type that the first of them asked for.
    if (before?.callId === callId) return before.outcome as Promise<T>;
    const outcome = (before?.outcome ?? Promise.resolve()).then(work, work);
    this.#current = { callId, outcome };
    try {
      return await outcome;
    } finally {
      if (this.#current?.outcome === outcome) this.#current = undefined;
    }
  }

  /**
   * Runs one program to its end, or goes on with the one that an earlier owner began for the same call; asked again for the
   * latest, tells what came of it. Requires: within `exclusive`.
   *
   * Rejects with HourglassError SESSION_LOST where the sandbox does not survive that, with SANDBOX_LOST where only the stream to
   * it broke, with LeaveRunning where the session goes on with somebody else, with what `prepare` rejects with, or with the
   * signal's reason.
   */
  async program(caller: Caller, source: ProgramSource): Promise<Ended> {
    if (this.#last?.callId === caller.callId) return this.#last.ended;
    const ended = await this.#guarded(caller, async () => {
      const started = await this.#begun(caller);
      const program = started ? source.resume() : await source.prepare();
      if (started === undefined) await this.#next();
      return this.#run(caller, program, started);
    });
    this.#last = { callId: caller.callId, ended };
    return ended;
  }

  /** Reads what the programs so far have left. Requires: within `exclusive`, not new. Rejects as `program` does. */
  read<T>(caller: Caller, read: () => Promise<T>): Promise<T> {
    return this.#guarded(caller, async () => {
      if (this.#unheard !== undefined) await this.#forgetUnheard();
      return read();
    });
  }

  /**
   * Makes the files those of a tree, before a program; with `call` the variables are first those that this call has left, and
   * where that cannot be nothing is changed. Requires: within `exclusive`. Rejects as `program` does.
   */
  arrange(caller: Caller, state: ArrangedState): Promise<Arranged> {
    return this.#guarded(caller, async () => {
      if (this.#unheard !== undefined) await this.#forgetUnheard();
      const { channel } = this;
      const never = new AbortController().signal;
      if (this.#progress !== 'new') {
        const { rolledBack, background } = await channel.nextCall(state.call, ANSWER_MS, never);
        this.#progress = 'ready';
        if (rolledBack === false) return { refused: { background } };
        this.#last = undefined;
      }
      const watch = watchSandbox(this, caller.attempt.signal, { staysAlive: true });
      watch.expect(state.tree.files.reduce((sum, { size }) => sum + size, 0));
      try {
        const fault = await watch.during(arrangeTree(channel, state.tree, state.open));
        return fault === undefined ? {} : { fault };
      } finally {
        watch.stop();
      }
    });
  }

  /** Writes down which files its sandbox was given; durable when it resolves. */
  async noteRestored(restored: Restored): Promise<void> {
    await this.parts.record.noteRestored(restored);
  }

  /** Ends the session: the sandbox is destroyed, unless it is somebody else's by now. Idempotent; never rejects. */
  close(): Promise<void> {
    this.#over ??= new HourglassError('SESSION_CLOSED', 'the session was closed');
    this.#gone ??= this.#destroy();
    return this.#gone;
  }

  /** Lets go of the sandbox: the session goes on, with this worker's successor. Idempotent. */
  leave(): void {
    if (this.#gone !== undefined) return;
    this.#over ??= new HourglassError('WORKER_SHUTDOWN', 'the session goes on with another worker');
    this.#gone = Promise.resolve();
    this.#letGo();
  }

  async #destroy(): Promise<void> {
    if (!this.parts.record.isOurs) return this.#letGo();
    await this.parts.release();
    this.parts.releaseMemory();
    // What is to be restored is for the next sandbox.
    if (this.hold.keeps?.restore === false) await this.keeper?.remove().catch(() => undefined);
    await this.parts.record.remove();
  }

  #letGo(): void {
    this.parts.detach();
    this.parts.releaseMemory();
  }

  /** Makes the guest ready. An end of the call in the middle of that would leave an answer that nobody reads. */
  async #next(): Promise<void> {
    if (this.#progress !== 'new') await this.channel.nextCall(undefined, ANSWER_MS, new AbortController().signal);
    this.#programs += 1;
  }

  async #run({ callId, attempt }: Caller, program: Program, started: StartedProgram | undefined): Promise<Ended> {
    const { record, leased } = this.parts;
    const { sandbox, channel } = leased;
    const number = this.#programs;
    attempt.signal.throwIfAborted();
    this.#progress = 'running';
    const place = {
      ...{ sandbox, channel },
      begin: () => record.begin(callId, number),
      advance: (phase: LeasePhase) => record.advance(phase),
    };
    const outcome = await runInSandbox(
      place,
      { ...program, session: { call: number, keep: this.hold.keeps?.calls ?? 0 } },
      attempt,
      started,
    );
    this.#progress = 'ended';
    return { outcome, number, startKind: number === 1 ? leased.startKind : 'session' };
  }

  /** The program of this call where an earlier owner has started it; that of another call is ended. */
  async #begun({ callId, attempt }: Caller): Promise<StartedProgram | undefined> {
    const state = this.#unheard;
    const isThis = this.hold.callId === callId;
    if (state === undefined || !isThis || state.executionId !== attempt.progress.executionId) {
      if (isThis && this.hold.startedAt !== undefined) throw this.#denied();
      if (state !== undefined) await this.#forgetUnheard();
      return undefined;
    }
    this.#unheard = undefined;
    const { startedAt } = this.hold;
    const ranMs =
      startedAt === undefined ? (state.elapsedMs ?? 0) : nowSince(this.parts.record.lease.clock) - startedAt;
    return { ranMs: Math.max(0, ranMs), hasEnded: state.state === 'ended' };
  }

  #denied(): HourglassError {
    const details = { sandboxId: this.sandboxId, mayHaveRun: true };
    return new HourglassError('OUTCOME_UNKNOWN', 'the call was begun, and its sandbox does not know of it', details);
  }

  async #forgetUnheard(): Promise<void> {
    await giveUpCall(this.channel, ANSWER_MS);
    this.#unheard = undefined;
  }

  async #guarded<T>({ callId, attempt }: Caller, work: () => Promise<T>): Promise<T> {
    if (this.#over !== undefined) throw this.#over;
    const isDead = this.#last?.ended.outcome.collectable === false && this.#last.callId !== callId;
    if (isDead) throw this.#lose('its sandbox did not outlive the program before');
    try {
      return await work();
    } catch (error) {
      throw await this.#onFailure(error, attempt.signal);
    }
  }

  /** What a failure does to the session, and what the caller is told. */
  async #onFailure(error: unknown, signal: AbortSignal): Promise<unknown> {
    if (isLeaving(signal) || !this.parts.record.isOurs) {
      this.leave();
      return isLeaving(signal) ? error : new LeaveRunning(error);
    }
    if (endsSandbox(error)) {
      const goesOn = error.code === 'SANDBOX_LOST' && (await this.sandbox.end()).mayRun === true;
      if (!goesOn) return this.#lose(error);
      // The stream broke; whoever attaches again finds the session as it was.
      this.leave();
      return error;
    }
    if (this.#progress !== 'running') return error;
    // A cancelled program was killed, and its end was heard; one that could not be sent is given up by the next NEXT.
    this.#progress = 'ended';
    return error;
  }

  #lose(cause: unknown): HourglassError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const details = { sandboxId: this.sandboxId, mayHaveRun: this.#progress === 'running' };
    const lost = new HourglassError('SESSION_LOST', `the session is lost: ${reason}`, details, { cause });
    this.#over ??= lost;
    void this.close();
    return lost;
  }
}
