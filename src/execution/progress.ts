import { evenMs } from '../clock';
import {
  BOUNDS,
  DEFAULT_TENANT,
  HourglassError,
  isSpent,
  tenantOf,
  type HeartbeatDetails,
  type JsonValue,
  type Phase,
  type Progress,
  type Tenant,
  type ValidRequest,
} from '../contract';
import type { Note } from '../runner/note';
import type { RunEvents } from '../runner/program';
import { endOfText } from './bounded-text';

/** A piece of live output of one execution. */
export interface OutputChunk {
  readonly executionId: string;
  readonly stream: 'stdout' | 'stderr';
  readonly chunk: Buffer;
  /** `head`: the next bytes of the stream; `preview`: its latest bytes, in place of earlier previews. */
  readonly kind: 'head' | 'preview';
}

/** Hears of every phase an execution enters, but for the first; must not throw and returns at once. */
export type PhaseListener = (phase: Phase) => void;

/** Receives live output in this process; must not throw and returns at once. */
export type OutputListener = (output: OutputChunk) => void;

const isWait = (error: unknown): boolean => error instanceof HourglassError && error.isWait;
const isOutage = (error: unknown): boolean => error instanceof HourglassError && error.isOutage;

/** Where one execution stands: what heartbeats, logs and live output are made of. Bounded memory. */
export class ExecutionProgress implements RunEvents {
  readonly #createdAt = evenMs();
  #executionId: string;
  #phase: Phase = 'queued';
  /** Waiting that is over, in ms. */
  #queuedMs: number;
  #waitingSince: number | undefined;
  #runningSince: number | undefined;
  #runningMs: number | undefined;
  #tail: Buffer = Buffer.alloc(0);
  #sandboxId: string | undefined;
  readonly #bytes = { stdout: 0, stderr: 0 };
  #phaseListener: PhaseListener | undefined;
  #showsOutput = true;
  #restartable = false;
  #progress: Progress | undefined;
  #end: HeartbeatDetails['end'];
  #tenant = DEFAULT_TENANT;
  /** Attempts at this execution that failed; this one counts once it has. */
  failures = 0;
  /** Those for which something was away that they needed. */
  outages = 0;
  /** What the program has kept last, in this attempt or an earlier one. */
  checkpoint: JsonValue | undefined;
  filesIn = 0;
  bytesIn = 0;
  /** Files and bytes that were collected so far. */
  filesOut = 0;
  bytesOut = 0;

  /** `waitedMs`: how long the execution had waited for a worker when it arrived here. */
  constructor(
    readonly hostId: string,
    executionId: string,
    waitedMs: number,
    readonly onOutputChunk?: OutputListener,
    readonly attempt = 1,
  ) {
    this.#executionId = executionId;
    this.#queuedMs = Math.max(0, waitedMs);
  }

  get executionId(): string {
    return this.#executionId;
  }

  get tenant(): Tenant {
    return this.#tenant;
  }

  /** From the execution's arrival here until now, in ms. */
  get totalMs(): number {
    return evenMs() - this.#createdAt;
  }

  /** Waiting for a worker, a slot and memory, in ms. */
  get queuedMs(): number {
    return this.#queuedMs + (this.#waitingSince === undefined ? 0 : evenMs() - this.#waitingSince);
  }

  /** Runs a wait that counts as queued; after it the sandbox is being started. */
  async queued<T>(wait: Promise<T>): Promise<T> {
    this.#waitingSince = evenMs();
    try {
      return await wait;
    } finally {
      this.#queuedMs = this.queuedMs;
      this.#waitingSince = undefined;
      this.enter('starting');
    }
  }

  /** One listener for all phases from now on. */
  watch(listener: PhaseListener): void {
    this.#phaseListener = listener;
  }

  enter(phase: Phase): void {
    this.#phase = phase;
    this.#phaseListener?.(phase);
  }

  /** The attempt fails and leaves nothing that the next one has to ask for. */
  mayRestart(): void {
    this.#restartable = true;
  }

  /** The attempt ends, and what it leaves is for the next one: no failure. */
  leave(): void {
    this.#end = 'left';
  }

  /** The attempt ends without a result; a failure, unless it has said that it leaves. */
  fail(error: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = 'failed';
    if (isWait(error)) return;
    if (isOutage(error)) this.outages += 1;
    else this.failures += 1;
  }

  /** Whether no attempt is to follow where this one fails like that. */
  wouldBeLast(error: unknown): boolean {
    if (isWait(error)) return false;
    const { failures, outages } = this;
    return isSpent(isOutage(error) ? { failures, outages: outages + 1 } : { failures: failures + 1, outages });
  }

  occupy(sandboxId: string): void {
    this.#sandboxId = sandboxId;
  }

  /** The request is known: its id where it has one, its input files, and whether heartbeats may carry output. */
  describe(request: ValidRequest): void {
    this.#executionId = request.executionId ?? this.#executionId;
    this.#tenant = tenantOf(request);
    this.#showsOutput = request.heartbeatOutput ?? true;
    this.filesIn = request.inputFiles?.length ?? 0;
  }

  onPhase(phase: 'staging-in' | 'running' | 'ended'): void {
    if (phase === 'running') this.#runningSince = evenMs();
    if (phase === 'ended') this.#runningMs = this.#elapsed();
    this.enter(phase === 'ended' ? 'staging-out' : phase);
  }

  onOutput(stream: 'stdout' | 'stderr', chunk: Buffer, kind: 'head' | 'preview'): void {
    if (kind === 'head') this.#bytes[stream] += chunk.length;
    if (stream === 'stdout') this.#keepTail(chunk, kind);
    this.onOutputChunk?.({ executionId: this.executionId, stream, chunk, kind });
  }

  onNote(note: Note): void {
    if ('checkpoint' in note) this.checkpoint = note.checkpoint;
    else this.#progress = note.progress;
  }

  onBytesIn(bytes: number): void {
    this.bytesIn += bytes;
  }

  /** The heartbeat of this moment; a few KiB at most. */
  details(): HeartbeatDetails {
    return {
      v: 1,
      phase: this.#phase,
      executionId: this.executionId,
      hostId: this.hostId,
      attempt: this.attempt,
      ...(this.#restartable ? { restartable: true } : {}),
      ...(this.failures > 0 ? { failures: this.failures } : {}),
      ...(this.outages > 0 ? { outages: this.outages } : {}),
      ...(this.#end === undefined ? {} : { end: this.#end }),
      ...(this.#sandboxId === undefined ? {} : { sandboxId: this.#sandboxId }),
      queuedMs: this.queuedMs,
      runningMs: this.#runningMs ?? this.#elapsed(),
      stdoutBytes: this.#bytes.stdout,
      stderrBytes: this.#bytes.stderr,
      filesIn: this.filesIn,
      filesOut: this.filesOut,
      bytesIn: this.bytesIn,
      bytesOut: this.bytesOut,
      ...(this.checkpoint === undefined ? {} : { checkpoint: this.checkpoint }),
      ...(this.#progress === undefined ? {} : { progress: this.#progress }),
      ...(this.#showsOutput ? { tail: endOfText(this.#tail, BOUNDS.heartbeatTailBytes) } : {}),
    };
  }

  #elapsed(): number {
    return this.#runningSince === undefined ? 0 : evenMs() - this.#runningSince;
  }

  #keepTail(chunk: Buffer, kind: 'head' | 'preview'): void {
    const end = chunk.subarray(-BOUNDS.heartbeatTailBytes);
    const room = BOUNDS.heartbeatTailBytes - end.length;
    const before = kind === 'preview' || room === 0 ? [] : [this.#tail.subarray(-room)];
    this.#tail = Buffer.concat([...before, end]);
  }
}
