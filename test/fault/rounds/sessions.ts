import { setTimeout as delay } from 'node:timers/promises';
import { ExecutionCancelled, type HourglassClient, type HourglassSession } from '../../../src/client';
import { HourglassError, type ExecutionResult } from '../../../src/contract';
import type { Fuzz } from '../../support/random';
import type { StartObserver } from '../../support/start-observer';

const AGAIN_MS = 200;
const MOST_CALLS = 12;

/** Leaves a mark that tells this start from any other, waits, and says which calls its state knows. */
const CALL = `
import secrets, time
token = secrets.token_hex(8)
open(f"run-{name}-{token}", "w").close()
seen = [*globals().get("seen", []), number]
time.sleep(seconds)
result = seen
`;

/** What came of the calls of all sessions. */
export interface SessionCounts {
  sessions: number;
  calls: number;
  lost: number;
  unknown: number;
}

export interface SessionsOptions {
  readonly hourglass: HourglassClient;
  readonly fuzz: Fuzz;
  readonly observer: StartObserver;
  /** A promise that did not hold. */
  readonly accuse: (fault: string) => void;
}

/** Sessions one after the other, whose calls run once each, in a state that is right or is said to be gone. */
export class Sessions {
  readonly counts: SessionCounts = { sessions: 0, calls: 0, lost: 0, unknown: 0 };

  constructor(private readonly options: SessionsOptions) {}

  /** One session from its first call to its end. Never rejects. */
  async runOne(): Promise<void> {
    const { hourglass, fuzz } = this.options;
    const name = `s${(this.counts.sessions += 1)}`;
    const session = hourglass.session({ sessionId: name, language: 'python' });
    let known: number[] = [];
    const calls = 1 + fuzz.random(MOST_CALLS);
    for (let number = 1; number <= calls; number += 1) {
      const outcome = await this.#call(session, name, number);
      this.counts.calls += 1;
      const starts = this.options.observer.of(`${name}c${number}`).size;
      if (starts > 1) this.options.accuse(`${name}: call ${number} ran ${starts} times`);
      if (outcome instanceof Error && !this.#goesOn(name, outcome)) return;
      if (outcome instanceof Error) continue;
      this.#check(name, number, known, outcome);
      known = outcome.metadata.session?.state === 'empty' ? [] : (outcome.result as number[]);
    }
    await final(() => session.close());
  }

  /** Asked again under its id a call is joined: a server that does not answer may have taken it. */
  #call(session: HourglassSession, name: string, number: number): Promise<ExecutionResult | Error> {
    const seconds = 1 + this.options.fuzz.random(50) / 10;
    const inputData = { name: `${name}c${number}`, number, seconds };
    const callId = `${name}-${number}`;
    return final(() => session.run({ code: CALL, inputData, timeout: 240_000 }, { callId }));
  }

  /** All that was answered is there, in its order; what was not may be. */
  #check(name: string, number: number, known: readonly number[], { success, result, error }: ExecutionResult): void {
    const { accuse } = this.options;
    if (!success) return accuse(`${name}: call ${number} failed by itself: ${error?.code} ${error?.message}`);
    const seen = result as number[];
    const isInOrder = seen.every((call, at) => at === 0 || call > (seen[at - 1] ?? 0));
    const isRight = isInOrder && seen.at(-1) === number && known.every((call) => seen.includes(call));
    if (!isRight) accuse(`${name}: wrong state ${JSON.stringify(seen)} after ${JSON.stringify(known)}`);
  }

  /** Whether the session is there after a failure that is honest. */
  #goesOn(name: string, error: Error): boolean {
    const code = error instanceof HourglassError ? error.code : error.name;
    if (code === 'OUTCOME_UNKNOWN') this.counts.unknown += 1;
    else if (code === 'SESSION_LOST' || code === 'SESSION_CLOSED') this.counts.lost += 1;
    else this.options.accuse(`${name}: lost: ${code} ${error.message}`);
    return code === 'OUTCOME_UNKNOWN';
  }
}

/** Asks until the server has answered. */
async function final<T>(ask: () => Promise<T>): Promise<T | Error> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof HourglassError || error instanceof ExecutionCancelled) return error;
    }
    await delay(AGAIN_MS);
  }
}
