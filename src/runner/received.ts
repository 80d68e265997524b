import { z } from 'zod';
import { BOUNDS, HourglassError } from '../contract';
import { safeText } from '../telemetry/safe-text';
import { violation } from './frames';
import { Gathered } from './gathered';
import { guestEndSchema, type GuestEnd } from './guest-end';
import { readNote } from './note';
import { parseJsonPayload } from './payload';
import type { Program, RunEvents } from './program';
import type { GuestFrame, ToHost } from './protocol';
import { fatalMessage } from './ready';
import { nextState, type RunState } from './run-state';

/** The report's header line, in bytes: the guest bounds the texts in it, so an honest one has room. */
export const REPORT_HEADER_BYTES = 512 * 1024;
const PREVIEW_BYTES = 2_048;
// A guest sends two previews a second of each stream; twice that, and what may have waited, is more than enough.
const PREVIEWS_AT_ONCE = 20;
const PREVIEWS_PER_SECOND = 8;
// A guest says ten times a second what is new of the two kinds.
const NOTES_AT_ONCE = 40;
const NOTES_PER_SECOND = 40;
const STAGE_ERROR_LENGTH = 200;
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);

const stageErrorSchema = z.object({ path: z.string(), code: z.string().max(64), message: z.string() });

/** One stream of the program as far as it is kept. */
export class ReceivedStream {
  readonly head: Gathered;
  readonly tail: Gathered;

  constructor(
    readonly name: 'stdout' | 'stderr',
    maxBytes: number,
  ) {
    this.head = new Gathered(name, maxBytes);
    this.tail = new Gathered(`the end of ${name}`, maxBytes);
  }

  /** Bytes that arrived. */
  get length(): number {
    return this.head.length + this.tail.length;
  }
}

/** Everything a guest has said of one run, checked frame by frame against the state the run is in. Bounded memory. */
export class ReceivedRun {
  readonly stdout: ReceivedStream;
  readonly stderr: ReceivedStream;
  readonly report = new Gathered('the report', BOUNDS.resultBytes + REPORT_HEADER_BYTES);
  #state: RunState = 'staging';
  #isKilled = false;
  #end: GuestEnd | undefined;
  #startedAt: number | undefined;
  #ranBeforeMs = 0;
  #previews = 0;
  #notes = 0;

  constructor(
    private readonly program: Program,
    private readonly events: RunEvents,
  ) {
    this.stdout = new ReceivedStream('stdout', program.maxOutputBytes);
    this.stderr = new ReceivedStream('stderr', program.maxOutputBytes);
  }

  get state(): RunState {
    return this.#state;
  }

  get end(): GuestEnd | undefined {
    return this.#end;
  }

  /** Since STARTED, in ms; undefined where the program did not start. */
  get elapsedMs(): number | undefined {
    return this.#startedAt === undefined ? undefined : performance.now() - this.#startedAt;
  }

  /** START is about to be sent: the guest may say STARTED from now on. */
  expectStart(): void {
    if (this.#state === 'staging') this.#state = 'staged';
  }

  /** The guest was taken over: it says again what it has said of a program that has run for so long. */
  expectAgain(ranMs: number): void {
    this.#ranBeforeMs = ranMs;
    this.expectStart();
  }

  /** KILL is about to be sent: a program that did not start may end, too, from now on. */
  expectKill(): void {
    this.#isKilled = true;
  }

  /**
   * Takes a frame in.
   *
   * Throws HourglassError PROTOCOL_ERROR for one that is not allowed now, INPUT_FILE_ERROR where a file could not be placed,
   * SANDBOX_LOST where the guest gives up.
   */
  accept(frame: GuestFrame): void {
    const before = this.#state;
    this.#state = nextState(before, frame.type);
    this.#handlers[frame.type]?.(frame, before);
  }

  readonly #handlers: Readonly<Partial<Record<ToHost, (frame: GuestFrame, before: RunState) => void>>> = {
    STARTED: () => (this.#startedAt = performance.now() - this.#ranBeforeMs),
    OUTPUT: (frame) => {
      const stream = this.#streamOf(frame);
      stream.head.add(frame.payload);
      this.events.onOutput?.(stream.name, frame.payload, 'head');
    },
    PREVIEW: (frame) => this.#preview(frame),
    NOTE: ({ payload }) => this.#note(payload),
    TAIL: (frame) => this.#streamOf(frame).tail.add(frame.payload),
    REPORT: ({ payload }) => this.report.add(payload),
    END: (frame, before) => (this.#end = this.#checkEnd(parseJsonPayload(guestEndSchema, frame), before)),
    STAGE_ERROR: (frame) => {
      throw this.#stageError(frame);
    },
    FATAL: (frame) => {
      throw new HourglassError('SANDBOX_LOST', `the sandbox gave up: ${fatalMessage(frame)}`);
    },
  };

  #streamOf({ id }: GuestFrame): ReceivedStream {
    if (id === 1) return this.stdout;
    if (id === 2) return this.stderr;
    throw violation(`output of stream ${id}`);
  }

  #preview(frame: GuestFrame): void {
    const { name } = this.#streamOf(frame);
    const { length } = frame.payload;
    if (length === 0 || length > PREVIEW_BYTES) throw violation(`a preview of ${length} bytes`);
    this.#previews += 1;
    const allowed = PREVIEWS_AT_ONCE + (PREVIEWS_PER_SECOND * (this.elapsedMs ?? 0)) / 1_000;
    if (this.#previews > allowed) throw violation(`${this.#previews} previews`);
    this.events.onOutput?.(name, frame.payload, 'preview');
  }

  #note(payload: Buffer): void {
    this.#notes += 1;
    const allowed = NOTES_AT_ONCE + (NOTES_PER_SECOND * (this.elapsedMs ?? 0)) / 1_000;
    if (this.#notes > allowed) throw violation(`${this.#notes} notes`);
    const note = readNote(payload);
    if (note !== undefined) this.events.onNote?.(note);
  }

  #checkEnd(end: GuestEnd, before: RunState): GuestEnd {
    const hasStarted = before === 'started' || before === 'draining';
    if (!hasStarted && !this.#isKilled) throw violation('END of a program that did not start');
    if (hasStarted && (end.exitCode === null) === (end.signal === null)) {
      throw violation('END needs an exit code or a signal');
    }
    if ((end.session ?? undefined) === undefined && this.program.session !== undefined) {
      throw violation('END of a call says nothing of its session');
    }
    if (end.stdoutBytes < this.stdout.length || end.stderrBytes < this.stderr.length) {
      throw violation('END counts less output than was sent');
    }
    if (end.reportBytes !== this.report.length) throw violation('END counts another report than was sent');
    return end;
  }

  #stageError(frame: GuestFrame): HourglassError {
    const { path, code, message } = parseJsonPayload(stageErrorSchema, frame);
    // Only names that we sent are repeated: the rest is the guest's own affair.
    const known = this.program.files.some((file) => file.sandboxPath === path);
    const file = known ? `input file ${JSON.stringify(path)}` : 'an input';
    const details = known ? { path } : {};
    if (NO_ROOM.has(code)) {
      const { diskMb } = this.program;
      const text = `${file} does not fit into the sandbox beside the others: diskMb is ${diskMb} MB`;
      return new HourglassError('INPUT_FILE_ERROR', text, { ...details, limit: 'diskMb', max: diskMb });
    }
    const reason = safeText(`${message} (${code})`, STAGE_ERROR_LENGTH);
    return new HourglassError('INPUT_FILE_ERROR', `${file} could not be placed in the sandbox: ${reason}`, details);
  }
}
