import { ExecutionCancelled, HourglassError, type HourglassClient, type HourglassSession } from '../../client';
import { sessionWorkflowIdOf, type ExecutionRequest, type ExecutionResult, type Language } from '../../contract';
import { programOf, sessionOf } from '../../session-client';
import { languageMismatch } from '../session/choose-session';
import type { InFlight } from './in-flight';
import { hashOfLine } from './line-hash';
import { openedSandbox, type AnsweredLines } from './results-file';

/** Starts of a batch, each of which somebody has interrupted in the same line. */
const MOST_INTERRUPTED = 20;

/** A request of a line that names a session. */
export type SessionLine = ExecutionRequest & { readonly sessionId: string };

/** One session of a batch. */
interface Held {
  readonly session: HourglassSession;
  readonly language: Language;
  readonly name: string;
  /** Set when its state is gone: so are the lines that are left. */
  lost?: HourglassError;
  /** The batch has opened it, in this start or an earlier one. */
  isOurs: boolean;
}

/** What the lines of sessions go through. */
export interface SessionLinesParts {
  readonly client: HourglassClient;
  /** The same for each start of the same batch. */
  readonly batchId: string;
  readonly inFlight: InFlight;
  readonly answered: Pick<AnsweredLines, 'opened'>;
}

/** Runs lines in the sessions that they name. Those of one session come one at a time, in the order of the file. */
export class SessionLines {
  readonly #held = new Map<string, Held>();
  /** Lines that were answered before, by session. */
  readonly #answered = new Map<string, number>();
  /** Sessions that this start has opened. */
  readonly #begun = new Set<string>();

  constructor(private readonly parts: SessionLinesParts) {}

  /**
   * Runs one line; a call that an earlier start has left running is joined.
   *
   * Rejects with HourglassError: SESSION_MISMATCH for another language than that of the session, SESSION_LOST for each line
   * after the one that met the loss.
   */
  async run(request: SessionLine, signal: AbortSignal, lineId: string): Promise<ExecutionResult> {
    const key = sessionWorkflowIdOf(request);
    const held = this.#held.get(key) ?? this.#hold(request);
    if (held.lost !== undefined) throw followingLoss(held);
    if (held.language !== request.language) throw languageMismatch(held.language, request.language);
    // Kept only once it is open: a line that cannot open it leaves that to the next.
    const end = this.parts.inFlight.begin(key);
    try {
      const result = await this.#call(held, request, signal, lineId);
      this.#held.set(key, held);
      const { metadata } = result;
      const isBegun = openedSandbox(metadata) !== undefined;
      if (isBegun) this.#begun.add(key);
      held.isOurs ||= isBegun || this.parts.answered.opened.has(metadata.sandboxId);
      return result;
    } catch (error) {
      if (error instanceof HourglassError && error.code === 'SESSION_LOST') {
        held.lost = error;
        this.#held.set(key, held);
      }
      throw error;
    } finally {
      end();
    }
  }

  /** A line had its answer before: its effects are those that its session has, if it still lives. */
  noteAnswered(request: ExecutionRequest): void {
    const { sessionId } = request;
    if (sessionId === undefined) return;
    const key = sessionWorkflowIdOf({ ...request, sessionId });
    this.#answered.set(key, (this.#answered.get(key) ?? 0) + 1);
  }

  /** Sessions that have begun anew although lines of them were answered before, whose effects they lack. */
  get begunAnew(): { name: string; answered: number }[] {
    return [...this.#begun].flatMap((key) => {
      const [name, answered] = [this.#held.get(key)?.name, this.#answered.get(key)];
      return name === undefined || answered === undefined ? [] : [{ name, answered }];
    });
  }

  /** Ends those that the batch has opened; resolves with their names. One that is lost has ended. */
  async close(): Promise<string[]> {
    const ours = this.#ours();
    for (const { session } of ours) await session.close();
    return ours.map(({ name }) => name);
  }

  /** Names of those that the batch has opened. */
  get names(): string[] {
    return this.#ours().map(({ name }) => name);
  }

  #ours(): Held[] {
    return [...this.#held.values()].filter(({ isOurs, lost }) => isOurs && lost === undefined);
  }

  #hold(request: SessionLine): Held {
    const session = this.parts.client.session(sessionOf(request));
    return { session, language: request.language, name: request.sessionId, isOurs: false };
  }

  /** A call that somebody has interrupted has done nothing: it is another one the next time. */
  async #call(held: Held, request: SessionLine, signal: AbortSignal, lineId: string): Promise<ExecutionResult> {
    for (let time = 1; ; time += 1) {
      const callId = this.#callId(request, lineId, time);
      const program = { ...programOf(request), executionId: request.executionId ?? callId };
      try {
        return await held.session.run(program, { signal, callId });
      } catch (error) {
        const isEarlier = error instanceof ExecutionCancelled && !signal.aborted && time < MOST_INTERRUPTED;
        if (!isEarlier) throw error;
      }
    }
  }

  #callId(request: SessionLine, lineId: string, time: number): string {
    return `batch-${this.parts.batchId}-${hashOfLine(lineId, request)}-${time}`;
  }
}

function followingLoss({ name, lost }: Held): HourglassError {
  const message = `session ${name} was lost in an earlier line, and the state that this one needs with it: ${lost?.message}`;
  return new HourglassError('SESSION_LOST', message, { mayHaveRun: false }, { cause: lost });
}
