import { randomUUID } from 'node:crypto';
import type { ExecutionResult } from '../../contract';
import type { HourglassSession, SessionRequest } from '../../client';
import type { Connected } from '../run/connect';
import type { RunProgress } from '../run/run-progress';
import { watch, type Sighting } from '../run/watch';
import type { CurrentOutput } from './current-output';

/** What calls of one session go through. */
export interface CallParts {
  readonly connected: Connected;
  readonly session: HourglassSession;
  readonly live: CurrentOutput;
  readonly progress: RunProgress;
  /** Calls that the session had when it was looked at; 0 for one that was not there. */
  readonly callsBefore: number;
  readonly say: (text: string) => void;
}

/** Runs programs in a session, with their output as they print it. */
export class CallRunner {
  #hasAnswered = false;
  #lastCall: number | undefined;

  constructor(private readonly parts: CallParts) {}

  /** The number of the last program, or of the one that the session went back to; undefined before the first. */
  get lastCall(): number | undefined {
    return this.#lastCall;
  }

  /** The session is as it was after this program. */
  wentBack(call: number): void {
    this.#lastCall = call;
  }

  /**
   * Runs one program; one call at a time.
   *
   * The signal ends the program, not the session. Rejects as `HourglassSession.run` does, or where worker or server are gone.
   */
  async run(program: SessionRequest, signal: AbortSignal): Promise<ExecutionResult> {
    const { connected, session, live } = this.parts;
    const executionId = program.executionId ?? randomUUID();
    const watching = new AbortController();
    live.begin(executionId);
    try {
      void this.#watch(executionId, watching.signal);
      const answer = session.run({ ...program, executionId }, { signal });
      const result = await Promise.race([answer, connected.failed]);
      live.finish(result);
      this.#tellWhereNew(result);
      this.#lastCall = result.metadata.session?.call;
      return result;
    } finally {
      watching.abort();
      live.abandon();
    }
  }

  /** What was there a moment ago may have ended since, and another one have been opened. */
  #tellWhereNew({ metadata: { session } }: ExecutionResult): void {
    const { callsBefore, say } = this.parts;
    const isNew = session?.call === 1 && session.recreated !== true;
    if (!this.#hasAnswered && callsBefore > 0 && isNew)
      say('the session had ended: this is a new one, and began empty');
    this.#hasAnswered = true;
  }

  #watch(executionId: string, signal: AbortSignal): Promise<void> {
    const { connected, session, progress } = this.parts;
    const { connection, config, worker } = connected;
    const onSighting = async (sighting: Sighting): Promise<void> => {
      if (sighting.heartbeat?.executionId === executionId) progress.show(sighting.heartbeat.progress);
      await worker.onSighting(sighting);
    };
    return watch({ connection, namespace: config.temporal.namespace, which: () => session, onSighting }, signal);
  }
}
