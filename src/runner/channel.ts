import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { HourglassError } from '../contract';
import { encodeHeader, FrameDecoder } from './frames';
import { parseJsonPayload } from './payload';
import { PROTOCOL_VERSION, type GuestFrame, type ToGuest } from './protocol';

/** The two directions of an attached sandbox. */
export interface GuestStreams {
  readonly input: Writable;
  readonly output: Readable;
}

const readySchema = z.object({
  protocol: z.number().int(),
  language: z.string().max(32).optional(),
  preload: z.array(z.string().max(128)).max(32),
  pid: z.number().int(),
});

/** What a guest says of itself when it is ready. */
export type GuestReady = z.infer<typeof readySchema>;

/** Frames to and from one guest, with back-pressure both ways. Not more than one reader at a time. */
export class GuestChannel {
  readonly #input: Writable;
  readonly #output: Readable;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #decoder = new FrameDecoder();
  readonly #frames: GuestFrame[] = [];
  #pendingNext: Promise<GuestFrame | undefined> | undefined;
  #cause: unknown;

  private constructor({ input, output }: GuestStreams) {
    this.#input = input;
    this.#output = output;
    this.#chunks = output[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    // A stream that breaks is seen by whoever reads or writes next; without listeners it would end the process.
    const keepCause = (error: Error): void => void (this.#cause ??= error);
    input.on('error', keepCause);
    output.on('error', keepCause);
  }

  static open(streams: GuestStreams): GuestChannel {
    return new GuestChannel(streams);
  }

  /** Why the stream ended, where it broke. */
  get cause(): unknown {
    return this.#cause;
  }

  /** Sends one frame; resolves when the stream takes more. Rejects with SANDBOX_LOST when the stream is broken. */
  async send(type: ToGuest, id: number, payload: Buffer | object): Promise<void> {
    const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(JSON.stringify(payload));
    if (!this.#input.writable) throw this.#broken();
    this.#input.cork();
    this.#input.write(encodeHeader(type, id, bytes.length));
    const flows = this.#input.write(bytes);
    this.#input.uncork();
    if (!flows && this.#input.writableNeedDrain) await this.#drained();
  }

  /** The next frame; undefined when the stream ended. Rejects with PROTOCOL_ERROR for what is no frame. */
  next(): Promise<GuestFrame | undefined> {
    this.#pendingNext ??= this.#read().finally(() => (this.#pendingNext = undefined));
    return this.#pendingNext;
  }

  /**
   * Waits until the guest says that it is ready.
   *
   * Rejects with ENGINE_UNAVAILABLE when it does not within `timeoutMs` or speaks another protocol, or with the signal's
   * reason.
   */
  async waitReady(timeoutMs: number, signal: AbortSignal): Promise<GuestReady> {
    const frame = await this.#within(this.next(), timeoutMs, signal);
    if (frame === undefined) throw new HourglassError('ENGINE_UNAVAILABLE', 'the sandbox ended before it was ready');
    if (frame.type !== 'READY') {
      throw new HourglassError('ENGINE_UNAVAILABLE', `the sandbox said ${frame.type} before it was ready`);
    }
    const ready = parseJsonPayload(readySchema, frame);
    if (ready.protocol === PROTOCOL_VERSION) return ready;
    const versions = `protocol ${ready.protocol}, this worker ${PROTOCOL_VERSION}`;
    throw new HourglassError('ENGINE_UNAVAILABLE', `the image speaks ${versions}: run "hourglass setup"`);
  }

  /** Closes both directions. Idempotent. */
  close(): void {
    this.#input.destroy();
    this.#output.destroy();
  }

  async #read(): Promise<GuestFrame | undefined> {
    for (let frame = this.#frames.shift(); ; frame = this.#frames.shift()) {
      if (frame !== undefined) return frame;
      const chunk = await this.#nextChunk();
      if (chunk === undefined) return undefined;
      this.#frames.push(...this.#decoder.push(chunk));
    }
  }

  async #nextChunk(): Promise<Buffer | undefined> {
    try {
      const next = await this.#chunks.next();
      return next.done === true ? undefined : next.value;
    } catch (error) {
      this.#cause ??= error;
      return undefined;
    }
  }

  async #within<T>(promise: Promise<T>, timeoutMs: number, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    let stop = (): void => undefined;
    const limit = new Promise<never>((_, reject) => {
      const late = new HourglassError('ENGINE_UNAVAILABLE', `the sandbox was not ready within ${timeoutMs} ms`);
      const timer = setTimeout(() => reject(late), timeoutMs);
      const abort = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      stop = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      };
    });
    return Promise.race([promise, limit]).finally(stop);
  }

  #drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#input.off('drain', settle);
        this.#input.off('close', settle);
        if (this.#input.writable) resolve();
        else reject(this.#broken());
      };
      this.#input.once('drain', settle);
      this.#input.once('close', settle);
    });
  }

  #broken(): HourglassError {
    return new HourglassError('SANDBOX_LOST', 'the stream to the sandbox is broken', {}, { cause: this.#cause });
  }
}

/** Tells the guest that its owner lives. Never rejects: a broken stream is seen by whoever uses the sandbox. */
export async function renew(channel: GuestChannel, leaseMs: number): Promise<void> {
  await channel.send('RENEW', 0, { leaseMs }).catch(() => undefined);
}

/** Asks the guest to end itself. Never rejects: the container is removed in any case. */
export async function bye(channel: GuestChannel): Promise<void> {
  await channel.send('BYE', 0, {}).catch(() => undefined);
}
