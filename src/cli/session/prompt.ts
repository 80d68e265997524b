import type { Writable } from 'node:stream';
import { ExecutionCancelled, type SessionRequest } from '../../client';
import { HourglassError, type SessionOptions } from '../../contract';
import { settledBefore } from '../../settle';
import { Interrupted } from '../errors';
import { neutralise } from '../output-filter';
import type { Terminal } from '../terminal';
import { readWish, type Wish } from './blocks';
import type { CallRunner } from './call-runner';
import type { DotCommand } from './dot-command';
import { isEnd } from './explain';
import { PromptError, performDot, type AfterDot, type DotParts } from './perform-dot';
import { printCall } from './print-call';
import type { PromptInput } from './prompt-input';

/** After the second Ctrl-C: what the first one asks the session for has to reach it. */
const LAST_WORD_MS = 500;

/** What a prompt is made of. */
export interface PromptParts {
  readonly options: SessionOptions;
  readonly input: PromptInput;
  /** Where the prompt is shown. */
  readonly output: Writable;
  readonly terminal: Terminal;
  readonly runner: Pick<CallRunner, 'run'>;
  readonly dots: DotParts;
  /** What each program is given beside its code. */
  readonly request: SessionRequest;
  readonly json: boolean;
  /** Ends the prompt. */
  readonly signal: AbortSignal;
  /** Rejects when worker or server are gone. */
  readonly failed: Promise<never>;
}

/** A prompt on one session. */
export class Prompt {
  readonly #first: string;
  readonly #more: string;
  readonly #ended: Promise<never>;

  constructor(private readonly parts: PromptParts) {
    const { cyan, dim } = parts.terminal.out.colors;
    const { sessionId } = parts.options;
    this.#first = `${cyan(sessionId)}> `;
    this.#more = `${dim('.'.repeat(sessionId.length))}> `;
    this.#ended = settledBefore(parts.failed, parts.signal);
    this.#ended.catch(() => undefined);
  }

  /**
   * Runs what is typed until somebody leaves; says whether the session has ended by that.
   *
   * Rejects with HourglassError where the session is gone, with the signal's reason, or where worker or server are gone.
   */
  async run(): Promise<AfterDot> {
    const { options, input, output } = this.parts;
    const next = (isFirst: boolean) => input.next(isFirst ? this.#first : this.#more);
    for (;;) {
      const wish = await Promise.race([readWish(options.language, next, () => void output.write('\n')), this.#ended]);
      const after = await this.#fulfil(wish);
      if (after !== 'stays') return after;
    }
  }

  async #fulfil(wish: Wish): Promise<AfterDot> {
    const { output, terminal } = this.parts;
    if (wish.kind === 'program') return this.#program(wish.code);
    if (wish.kind === 'dot') return this.#dot(wish.command);
    output.write('\n');
    if (wish.kind === 'leave') return 'left';
    terminal.err.line(terminal.err.colors.dim('Ctrl-D leaves, .close ends the session, .help lists the rest'));
    return 'stays';
  }

  /** The first Ctrl-C ends the program; the second one leaves, whatever becomes of it. */
  async #program(code: string): Promise<AfterDot> {
    const { runner, request, terminal, json, signal } = this.parts;
    const stop = new AbortController();
    let isLeaving = false;
    const work = runner.run({ ...request, code }, AbortSignal.any([stop.signal, signal]));
    try {
      const result = await this.#interruptible(work, (leave) => {
        if (stop.signal.aborted) {
          isLeaving = true;
          return void setTimeout(() => leave(new Interrupted('SIGINT')), LAST_WORD_MS).unref();
        }
        terminal.err.line(terminal.err.colors.dim('\nInterrupting; again to leave at once'));
        stop.abort(new Interrupted('SIGINT'));
      });
      if (json) terminal.out.line(JSON.stringify(result));
      else printCall(result, terminal);
    } catch (error) {
      if (!isLeaving) this.#tell(error);
    }
    if (isLeaving) throw new Interrupted('SIGINT');
    return 'stays';
  }

  async #dot(command: DotCommand): Promise<AfterDot> {
    const { dots } = this.parts;
    try {
      if (command.kind === 'mistake') throw new PromptError(command.message);
      return await this.#interruptible(performDot(command.name, command.args, dots), (leave) =>
        leave(new PromptError('given up')),
      );
    } catch (error) {
      this.#tell(error);
      return 'stays';
    }
  }

  async #interruptible<T>(work: Promise<T>, onInterrupt: (leave: (reason: Error) => void) => void): Promise<T> {
    const leaving = new AbortController();
    const leave = (reason: Error): void => leaving.abort(reason);
    return this.parts.input.during(settledBefore(work, leaving.signal), () => onInterrupt(leave));
  }

  /** Says what has failed; throws what ends the prompt. */
  #tell(error: unknown): void {
    const { options, terminal, signal, json } = this.parts;
    const { err, out } = terminal;
    signal.throwIfAborted();
    if (error instanceof ExecutionCancelled) return err.line(err.colors.dim('interrupted; the session goes on'));
    if (error instanceof PromptError) return err.line(err.colors.yellow(neutralise(error.message)));
    if (!(error instanceof HourglassError) || isEnd(error, options)) throw error;
    const { code, message, retryable } = error;
    if (json) out.line(JSON.stringify({ failure: { code, message, retryable } }));
    err.line(`${err.colors.red(`✘ ${code}`)} ${neutralise(message)}`);
  }
}
