import { randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { HourglassError } from '../contract';
import { attachedFrame, encodeHeader, FrameDecoder, violation } from './frames';
import { readGuestState, type GuestState } from './guest-state';
import { NONCE_BYTES, type GuestFrame, type ToGuest } from './protocol';
import { readReady, type GuestReady } from './ready';
import { within } from './within';

/** The two directions of an attached sandbox. */
export interface GuestStreams {
  readonly input: Writable;
  readonly output: Readable;
}

/** What a guest may have been sending when it was attached to again: one file frame after the other waits in its pipe. */
const MAX_RUBBLE_BYTES = 64 * 1024 * 1024;

/** What came of a rollback; `rolledBack` is undefined where none was asked for. */
export interface RolledBack {
  readonly rolledBack: boolean | undefined;
  /** Processes of the user's, for which nothing is rolled back. */
  readonly background: number;
}

/** A reader that waits for the next frame. */
interface Waiting {
  readonly promise: Promise<void>;
  readonly wake: () => void;
}

/**
 * Frames to and from one guest, with back-pressure both ways. Not more than one reader at a time.
 *
 * Reads one chunk ahead, so the end of an idle guest shows as the end of its stream; holds no more than that chunk and
 * one frame.
 */
export class GuestChannel {
  readonly #input: Writable;
  readonly #output: Readable;
  readonly #decoder = new FrameDecoder();
  #frames: GuestFrame[] = [];
  #read = 0;
  #waiting: Waiting | undefined;
  #drained: Promise<void> | undefined;
  #gathering = false;
  #ended = false;
  #violation: Error | undefined;
  #cause: unknown;

  private constructor({ input, output }: GuestStreams) {
    this.#input = input;
    this.#output = output;
    // A stream that breaks is seen by whoever reads or writes next; without listeners it would end the process.
    input.on('error', (error) => (this.#cause ??= error));
    output.on('error', (error) => (this.#cause ??= error));
    output.on('data', (chunk: Buffer) => this.#onChunk(chunk));
    output.once('end', () => this.#onEnd());
    output.once('close', () => this.#onEnd());
  }

  static open(streams: GuestStreams): GuestChannel {
    return new GuestChannel(streams);
  }

  /** Why the stream ended, where it broke or ended inside a frame. */
  get cause(): unknown {
    return this.#cause;
  }

  /**
   * Sends one frame; resolves when the stream takes more.
   *
   * Rejects with HourglassError SANDBOX_LOST when the stream is broken, RangeError for a payload that no frame holds.
   */
  async send(type: ToGuest, id: number, payload: Buffer | object): Promise<void> {
    const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload));
    const header = encodeHeader(type, id, bytes.length);
    if (!this.#input.writable) throw this.#broken();
    this.#gather();
    this.#input.write(header);
    if (bytes.length > 0) this.#input.write(bytes);
    if (this.#input.writableNeedDrain) await (this.#drained ??= this.#awaitDrain());
    if (!this.#input.writable) throw this.#broken();
  }

  /** The next frame; undefined when the stream has ended. Rejects with HourglassError PROTOCOL_ERROR for what is no frame. */
  async next(): Promise<GuestFrame | undefined> {
    for (;;) {
      const frame = this.#frames[this.#read];
      if (frame !== undefined) {
        this.#read += 1;
        return frame;
      }
      if (this.#violation !== undefined) throw this.#violation;
      if (this.#ended) return undefined;
      this.#resume();
      this.#waiting ??= newWaiting();
      await this.#waiting.promise;
    }
  }

  /**
   * Waits until the guest says that it is ready.
   *
   * Rejects with HourglassError ENGINE_UNAVAILABLE when it does not within `timeoutMs`, ends, or speaks another protocol,
   * PROTOCOL_ERROR for what is no frame, or with the signal's reason.
   */
  async waitReady(timeoutMs: number, signal: AbortSignal): Promise<GuestReady> {
    const late = (): Error =>
      new HourglassError('ENGINE_UNAVAILABLE', `the sandbox was not ready within ${timeoutMs} ms`);
    return readReady(await within(this.next(), timeoutMs, late, signal), this.#cause);
  }

  /**
   * Takes a guest over that another host, or an earlier attachment, has spoken to. Requires: nothing was read.
   *
   * Rejects with HourglassError SANDBOX_LOST when the guest does not answer within `timeoutMs` or ends, PROTOCOL_ERROR for
   * what is no answer, or with the signal's reason.
   */
  async takeOver(timeoutMs: number, signal: AbortSignal): Promise<GuestState> {
    const nonce = randomBytes(NONCE_BYTES);
    this.#decoder.seek(attachedFrame(nonce), MAX_RUBBLE_BYTES);
    await this.send('ATTACH', 0, nonce);
    const late = (): Error => new HourglassError('SANDBOX_LOST', `the sandbox did not answer within ${timeoutMs} ms`);
    return readGuestState(await within(this.next(), timeoutMs, late, signal), this.#cause);
  }

  /**
   * Takes the guest back to the state at its birth; resolves when it says that it is. Requires: a run and its files are
   * over.
   *
   * Rejects as `waitReady` and `send` do, and with PROTOCOL_ERROR where the guest has said something already: a READY from
   * before the order would pass for its answer.
   */
  async reset(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (this.#hasUnread) throw violation('it said something before it was asked to reset');
    await this.send('RESET', 0, {});
    await this.waitReady(timeoutMs, signal);
  }

  /**
   * Makes a session's guest ready for its next call, where `rollback` is given with the state that this call has left; resolves
   * when it says so, and what came of that. Requires: a call and its files are over, or it has not started.
   *
   * Rejects as `reset` does.
   */
  async nextCall(rollback: number | undefined, timeoutMs: number, signal: AbortSignal): Promise<RolledBack> {
    if (this.#hasUnread) throw violation('it said something before it was asked for the next call');
    await this.send('NEXT', 0, { rollback: rollback ?? null });
    const { rolledBack, background = 0 } = await this.waitReady(timeoutMs, signal);
    if ((rolledBack === undefined) !== (rollback === undefined)) throw violation('READY that answers something else');
    return { rolledBack, background };
  }

  /** Closes both directions; a reader that waits sees the end. Idempotent. */
  close(): void {
    this.#input.destroy();
    this.#output.destroy();
  }

  /** Whether something has arrived that nobody has taken, be it a part of a frame. */
  get #hasUnread(): boolean {
    if (this.#read < this.#frames.length || this.#violation !== undefined) return true;
    return this.#decoder.isInsideFrame || this.#output.readableLength > 0;
  }

  #onChunk(chunk: Buffer): void {
    try {
      for (const frame of this.#decoder.push(chunk)) this.#frames.push(frame);
    } catch (error) {
      this.#violation = error as Error;
    }
    // The rest waits in the stream, and so slows the guest down, until what is here was taken.
    if (this.#frames.length > 0 || this.#violation !== undefined) this.#output.pause();
    this.#wake();
  }

  #onEnd(): void {
    if (!this.#ended && this.#decoder.isInsideFrame) this.#cause ??= new Error('the stream ended inside a frame');
    this.#ended = true;
    this.#wake();
  }

  #resume(): void {
    this.#frames = [];
    this.#read = 0;
    if (this.#output.isPaused()) this.#output.resume();
  }

  #wake(): void {
    this.#waiting?.wake();
    this.#waiting = undefined;
  }

  /** Frames of one turn leave in one write: each write wakes the engine, its shim and the guest. */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    this.#input.cork();
    process.nextTick(() => {
      this.#gathering = false;
      this.#input.uncork();
    });
  }

  #awaitDrain(): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        this.#input.off('drain', settle);
        this.#input.off('close', settle);
        this.#drained = undefined;
        resolve();
      };
      this.#input.once('drain', settle);
      this.#input.once('close', settle);
    });
  }

  #broken(): HourglassError {
    return new HourglassError('SANDBOX_LOST', 'the stream to the sandbox is broken', {}, { cause: this.#cause });
  }
}

function newWaiting(): Waiting {
  let wake = (): void => undefined;
  const promise = new Promise<void>((resolve) => (wake = resolve));
  return { promise, wake };
}

/** Tells the guest that its owner lives, for `leaseMs`. Never rejects: a broken stream is seen by whoever uses the sandbox. */
export async function renew(channel: GuestChannel, leaseMs: number): Promise<void> {
  await channel.send('RENEW', 0, { leaseMs }).catch(() => undefined);
}

/** Asks the guest to end itself. Never rejects: the container is removed in any case. */
export async function bye(channel: GuestChannel): Promise<void> {
  await channel.send('BYE', 0, {}).catch(() => undefined);
}
