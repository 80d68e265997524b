import type { Writable } from 'node:stream';
import pc from 'picocolors';
import { readEnvironment, type Environment } from '../config/env';
import { neutraliseButColours, OutputFilter } from './output-filter';

type Colors = ReturnType<typeof pc.createColors>;

/** One of our own streams. `chunk` may hold anything a program prints. */
export interface Channel {
  readonly isTerminal: boolean;
  readonly colors: Colors;
  /** Our own words. Nothing in them but colours is obeyed by a terminal, whoever wrote a part of them. */
  line(text?: string): void;
  /** Our own words in the place of those that were drawn last; for a terminal, and ended by `line`. */
  draw(text: string): void;
  /** A program's bytes: made harmless on a terminal, passed on unchanged elsewhere. */
  raw(chunk: Buffer | string): void;
}

/** Where a command talks to: results on `out`, everything else on `err`. */
export interface Terminal {
  readonly out: Channel;
  readonly err: Channel;
  /** Resolves when everything is written. */
  flush(): Promise<void>;
}

/** The terminal of a process, which knows what could not be written. */
export interface ProcessTerminal extends Terminal {
  /** Why stdout could not be written, where somebody still read it: a full disk, for example. */
  readonly fault: Error | undefined;
}

/** Terminal of this process. Colours appear on a terminal only, and not where NO_COLOR is set. */
export function processTerminal(env: Environment = readEnvironment()): ProcessTerminal {
  let fault: Error | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => (fault ??= isClosedReader(error) ? undefined : error));
  // Who could be told that stderr cannot be written?
  process.stderr.on('error', () => undefined);
  return {
    get fault() {
      return fault;
    },
    out: new StreamChannel(process.stdout, process.stdout.isTTY, env),
    err: new StreamChannel(process.stderr, process.stderr.isTTY, env),
    flush: async () => void (await Promise.all([drained(process.stdout), drained(process.stderr)])),
  };
}

/** Whether our own words may be coloured on a stream. */
export function wantsColors(isTerminal: boolean, env: Environment): boolean {
  if (env.NO_COLOR) return false;
  return isTerminal && env.TERM !== 'dumb';
}

const ERASE_REST = '\u001b[K';

/** A channel into any stream. */
export class StreamChannel implements Channel {
  readonly isTerminal: boolean;
  readonly colors: Colors;
  readonly #stream: Writable;
  readonly #filter = new OutputFilter();

  constructor(stream: Writable, isTerminal: boolean | undefined, env: Environment) {
    this.#stream = stream;
    this.isTerminal = isTerminal ?? false;
    this.colors = pc.createColors(wantsColors(this.isTerminal, env));
  }

  line(text = ''): void {
    this.#stream.write(`${neutraliseButColours(text)}\n`);
  }

  draw(text: string): void {
    this.#stream.write(`\r${neutraliseButColours(text)}${ERASE_REST}`);
  }

  raw(chunk: Buffer | string): void {
    this.#stream.write(this.isTerminal ? this.#filter.pass(chunk) : chunk);
  }
}

/** Whoever reads us may stop at any time (`| head`); what is written then is lost, and that is what they want. */
function isClosedReader({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE';
}

function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    else stream.write('', () => resolve());
  });
}
