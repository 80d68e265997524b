import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { History } from './history';

/** What a person does at a prompt. Lines that come at once, as pasted ones do, are one. */
export type PromptEvent =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  /** Ctrl-C; `hadText`: there was a half-typed line. */
  | { readonly kind: 'interrupt'; readonly hadText: boolean }
  /** Ctrl-D, or the end of the input. */
  | { readonly kind: 'end' };

/** Where a prompt is. */
export interface PromptStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Reads what is typed, with editing and history. */
export class PromptInput {
  readonly #readline: Interface;
  readonly #events: PromptEvent[] = [];
  #wake: () => void = () => undefined;
  #arriving: string[] = [];
  #onInterrupt: (() => void) | undefined;
  #isClosed = false;

  constructor({ input, output }: PromptStreams, history: History) {
    this.#readline = createInterface({
      ...{ input, output, terminal: true, removeHistoryDuplicates: true },
      history: history.newestFirst,
      tabSize: 4,
    });
    this.#readline.on('line', (line) => {
      history.add(line);
      this.#arrive(line);
    });
    this.#readline.on('SIGINT', () => this.#interrupt());
    this.#readline.on('close', () => {
      this.#isClosed = true;
      this.#push({ kind: 'end' });
    });
  }

  /** Shows a prompt, with what was typed ahead, and resolves with the next event. */
  async next(prompt: string): Promise<PromptEvent> {
    this.#readline.setPrompt(prompt);
    if (this.#events.length === 0 && this.#isClosed) return { kind: 'end' };
    if (this.#events.length === 0) this.#readline.prompt(true);
    while (this.#events.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#events.shift() ?? { kind: 'end' };
  }

  /** While `work` runs, Ctrl-C is for `onInterrupt`, and what was typed ahead is dropped then. */
  async during<T>(work: Promise<T>, onInterrupt: () => void): Promise<T> {
    this.#onInterrupt = onInterrupt;
    this.#readline.setPrompt('');
    try {
      return await work;
    } finally {
      this.#onInterrupt = undefined;
    }
  }

  /** Ends reading as Ctrl-D does. */
  close(): void {
    if (!this.#isClosed) this.#readline.close();
  }

  #arrive(line: string): void {
    this.#arriving.push(line);
    if (this.#arriving.length > 1) return;
    setImmediate(() => {
      const lines = this.#arriving;
      this.#arriving = [];
      if (lines.length > 0) this.#push({ kind: 'lines', lines });
    });
  }

  #interrupt(): void {
    const hadText = this.#readline.line.length > 0;
    if (hadText) this.#dropLine();
    if (this.#onInterrupt === undefined) return this.#push({ kind: 'interrupt', hadText });
    this.#arriving = [];
    this.#events.length = 0;
    this.#onInterrupt();
  }

  /** To the end of the line, and all before it away. */
  #dropLine(): void {
    this.#readline.write(null, { ctrl: true, name: 'e' });
    this.#readline.write(null, { ctrl: true, name: 'u' });
  }

  #push(event: PromptEvent): void {
    this.#events.push(event);
    this.#wake();
  }
}
