import { constants } from 'node:os';
import { z } from 'zod';
import { BOUNDS, HourglassError } from '../contract';
import { parseJsonPayload } from './payload';
import type { Program, RunEvents } from './program';
import type { GuestFrame, ToHost } from './protocol';

const SIGNAL_MAX = 64;
const count = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
/** The report's header line, in bytes. */
export const REPORT_HEADER_BYTES = 64 * 1024;
const PREVIEW_BYTES = 2_048;

const endSchema = z.object({
  exitCode: z.number().int().min(0).max(255).nullable(),
  signal: z.number().int().min(1).max(SIGNAL_MAX).nullable(),
  killReason: z.string().max(64).nullable(),
  oomKills: count,
  stdoutBytes: count,
  stderrBytes: count,
  peakMemoryBytes: count.nullable(),
  cpuMs: z.number().nonnegative().nullable(),
  wallMs: z.number().nonnegative(),
  reportTruncated: z.boolean(),
  syntaxError: z.boolean(),
  figures: z.array(z.string().regex(/^figure-\d{1,3}\.png$/)).max(100),
  warnings: z.array(z.string()).max(1_000),
});

/** What the guest says of a program's end. */
export type GuestEnd = z.infer<typeof endSchema>;

const stageErrorSchema = z.object({
  path: z.string().max(2_048),
  code: z.string().max(64),
  message: z.string().max(4_096),
});
const fatalSchema = z.object({ message: z.string().max(4_096) });

type State = 'staged' | 'started' | 'draining' | 'ended';

/** Which frames a guest may send while a run is in each state; anything else is a violation. */
const ALLOWED: Readonly<Record<State, readonly ToHost[]>> = {
  staged: ['STARTED', 'STAGE_ERROR', 'END', 'FATAL'],
  started: ['OUTPUT', 'PREVIEW', 'TAIL', 'REPORT', 'END', 'STAGE_ERROR', 'FATAL'],
  draining: ['TAIL', 'REPORT', 'END', 'FATAL'],
  ended: [],
};

/** Bytes of one kind, gathered up to a bound. */
class Gathered {
  readonly #parts: Buffer[] = [];
  #bytes = 0;

  constructor(
    private readonly name: string,
    private readonly maxBytes: number,
  ) {}

  add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.maxBytes) throw violation(`more than ${this.maxBytes} bytes of ${this.name}`);
    this.#parts.push(part);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

/** One stream of the program as far as it is kept. */
export class ReceivedStream {
  readonly head: Gathered;
  readonly tail: Gathered;

  constructor(name: 'stdout' | 'stderr', maxBytes: number) {
    this.head = new Gathered(name, maxBytes);
    this.tail = new Gathered(`the end of ${name}`, maxBytes);
  }
}

/** Everything a guest has said of one run, checked frame by frame against the state the run is in. */
export class ReceivedRun {
  readonly stdout: ReceivedStream;
  readonly stderr: ReceivedStream;
  readonly report = new Gathered('the report', BOUNDS.resultBytes + REPORT_HEADER_BYTES);
  #state: State = 'staged';
  #end: GuestEnd | undefined;

  constructor(
    private readonly program: Program,
    private readonly events: RunEvents,
  ) {
    this.stdout = new ReceivedStream('stdout', program.maxOutputBytes);
    this.stderr = new ReceivedStream('stderr', program.maxOutputBytes);
  }

  get hasStarted(): boolean {
    return this.#state !== 'staged';
  }

  get end(): GuestEnd | undefined {
    return this.#end;
  }

  /** Takes a frame in. Throws PROTOCOL_ERROR for one that is not allowed now, INPUT_FILE_ERROR where staging failed. */
  accept(frame: GuestFrame): void {
    if (!ALLOWED[this.#state].includes(frame.type)) throw violation(`${frame.type} while the run is ${this.#state}`);
    this.#handlers[frame.type](frame);
  }

  readonly #handlers: Readonly<Record<ToHost, (frame: GuestFrame) => void>> = {
    STARTED: () => (this.#state = 'started'),
    OUTPUT: (frame) => {
      const [name, stream] = this.#streamOf(frame);
      stream.head.add(frame.payload);
      this.events.onOutput?.(name, frame.payload, 'head');
    },
    PREVIEW: (frame) => {
      const [name] = this.#streamOf(frame);
      if (frame.payload.length > PREVIEW_BYTES) throw violation(`a preview of ${frame.payload.length} bytes`);
      this.events.onOutput?.(name, frame.payload, 'preview');
    },
    TAIL: (frame) => {
      this.#state = 'draining';
      this.#streamOf(frame)[1].tail.add(frame.payload);
    },
    REPORT: ({ payload }) => {
      this.#state = 'draining';
      this.report.add(payload);
    },
    END: (frame) => {
      this.#end = parseJsonPayload(endSchema, frame);
      this.#state = 'ended';
    },
    STAGE_ERROR: (frame) => {
      throw this.#stageError(frame);
    },
    FATAL: (frame) => {
      throw new HourglassError('SANDBOX_LOST', `the sandbox gave up: ${parseJsonPayload(fatalSchema, frame).message}`);
    },
    READY: unexpected,
    LISTING: unexpected,
    FILE_DATA: unexpected,
    FILE_END: unexpected,
  };

  #streamOf({ id }: GuestFrame): ['stdout' | 'stderr', ReceivedStream] {
    if (id === 1) return ['stdout', this.stdout];
    if (id === 2) return ['stderr', this.stderr];
    throw violation(`output of stream ${id}`);
  }

  #stageError(frame: GuestFrame): HourglassError {
    const { path, code, message } = parseJsonPayload(stageErrorSchema, frame);
    const details = { path, limit: 'diskMb', max: this.program.diskMb } as const;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      const text = `input files do not fit into diskMb of ${this.program.diskMb} MB: ${JSON.stringify(path)} had no room`;
      return new HourglassError('INPUT_FILE_ERROR', text, details);
    }
    return new HourglassError('INPUT_FILE_ERROR', `input file ${JSON.stringify(path)}: ${message}`, { path });
  }
}

function violation(what: string): HourglassError {
  return new HourglassError('PROTOCOL_ERROR', `the sandbox broke the protocol: ${what}`);
}

function unexpected(frame: GuestFrame): never {
  throw violation(`${frame.type} during a run`);
}

const SIGNAL_NAMES = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** Name of a signal of the sandbox, such as `SIGSEGV`. Linux numbers, which are those of the container. */
export function signalName(number: number): string {
  return SIGNAL_NAMES.get(number) ?? `signal ${number}`;
}
