import { PassThrough } from 'node:stream';
import type { SandboxEnd } from '../../../src/engine/engine';
import { GuestChannel, runProgram, type Program, type ProgramOutcome, type RunEvents } from '../../../src/runner';
import { HEADER_BYTES, MAGIC, PROTOCOL_VERSION, TO_GUEST, TO_HOST, type ToHost } from '../../../src/runner/protocol';

/** One frame as the guest would send it; fields of the header can be made wrong. */
export function guestFrame(
  type: ToHost | number,
  payload: Buffer | string | object = Buffer.alloc(0),
  id = 0,
  header: { magic?: number; version?: number; length?: number } = {},
): Buffer {
  const bytes = Buffer.isBuffer(payload)
    ? payload
    : Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(header.magic ?? MAGIC, 0);
  head.writeUInt8(header.version ?? PROTOCOL_VERSION, 2);
  head.writeUInt8(typeof type === 'number' ? type : TO_HOST[type], 3);
  head.writeUInt32BE(id, 4);
  head.writeUInt32BE(header.length ?? bytes.length, 8);
  return Buffer.concat([head, bytes]);
}

export interface HostFrame {
  readonly type: string;
  readonly id: number;
  readonly payload: Buffer;
}

const HOST_TYPES = new Map<number, string>(Object.entries(TO_GUEST).map(([name, code]) => [code, name]));

/** The guest's end of a channel, driven by a test: what the host sends is kept, what the guest sends is written. */
export class ScriptedGuest {
  /** The guest's stdin and stdout. */
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly channel = GuestChannel.open({ input: this.input, output: this.output });
  readonly frames: HostFrame[] = [];
  #rest = Buffer.alloc(0);
  #listeners: (() => void)[] = [];

  constructor() {
    this.input.on('data', (chunk: Buffer) => this.#onData(chunk));
  }

  send(type: ToHost | number, payload?: Buffer | string | object, id?: number): void {
    this.output.write(guestFrame(type, payload, id));
  }

  /** Resolves with the first frame of a type that the host has sent or sends. */
  async received(type: string): Promise<HostFrame> {
    for (;;) {
      const found = this.frames.find((frame) => frame.type === type);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }

  /** Payloads of all frames of a type, joined. */
  sentAs(type: string, id = 0): Buffer {
    return Buffer.concat(
      this.frames.filter((frame) => frame.type === type && frame.id === id).map((frame) => frame.payload),
    );
  }

  /** The container ends: nothing is read or written any more. */
  die(error?: Error): void {
    this.input.destroy();
    if (error === undefined) this.output.end();
    else this.output.destroy(error);
  }

  #onData(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= HEADER_BYTES) {
      const length = this.#rest.readUInt32BE(8);
      if (this.#rest.length < HEADER_BYTES + length) break;
      const payload = this.#rest.subarray(HEADER_BYTES, HEADER_BYTES + length);
      const type = HOST_TYPES.get(this.#rest.readUInt8(3)) ?? 'unknown';
      this.frames.push({ type, id: this.#rest.readUInt32BE(4), payload });
      this.#rest = this.#rest.subarray(HEADER_BYTES + length);
    }
    for (const notify of this.#listeners.splice(0)) notify();
  }
}

export const PROGRAM: Program = {
  executionId: 'e-1',
  language: 'python',
  code: 'print(1)',
  inputJson: '{}',
  stdin: undefined,
  files: [],
  timeoutMs: 60_000,
  memoryMb: 256,
  diskMb: 64,
  maxOutputBytes: 1_024,
  saveFigures: false,
};

/** END of a program that ended well and said nothing. */
export const GOOD_END = {
  exitCode: 0,
  signal: null,
  killReason: null,
  oomKills: 0,
  stdoutBytes: 0,
  stderrBytes: 0,
  peakMemoryBytes: 1_000_000,
  cpuMs: 1.5,
  wallMs: 0.25,
  reportBytes: 0,
  reportTruncated: false,
  syntaxError: false,
  figures: [] as string[],
  warnings: [] as string[],
};

export interface ScriptedRun {
  readonly guest: ScriptedGuest;
  readonly outcome: Promise<ProgramOutcome>;
  readonly abort: AbortController;
  /** How often the container was killed and asked for its end. */
  readonly calls: { kill: number; end: number };
}

/** Starts a run against a scripted guest. Killing the container ends its stream, as it does in life. */
export function startRun(
  program: Partial<Program> = {},
  options: { end?: SandboxEnd; events?: RunEvents; killGraceMs?: number; abort?: AbortController } = {},
): ScriptedRun {
  const guest = new ScriptedGuest();
  const abort = options.abort ?? new AbortController();
  const calls = { kill: 0, end: 0 };
  const outcome = runProgram(guest.channel, { ...PROGRAM, ...program }, options.events ?? {}, {
    signal: abort.signal,
    killGraceMs: options.killGraceMs ?? 20,
    end: async () => {
      calls.end += 1;
      return options.end ?? { exitCode: 1, oomKilled: false, lost: false };
    },
    kill: async () => {
      calls.kill += 1;
      guest.die();
    },
  });
  outcome.catch(() => undefined);
  return { guest, outcome, abort, calls };
}

/** Starts a run whose program runs. */
export async function startedRun(...args: Parameters<typeof startRun>): Promise<ScriptedRun> {
  const run = startRun(...args);
  await run.guest.received('START');
  run.guest.send('STARTED', {});
  return run;
}

/** Report of a program as its runtime would write it. */
export function reportOf(header: object, result = ''): Buffer {
  const line = { v: 1, hasResult: result !== '', source: null, error: null, warnings: [], ...header };
  return Buffer.from(`${JSON.stringify(line)}\n${result}`);
}
