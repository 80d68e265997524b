import type { State } from '@temporalio/worker';

/** How long an answer of a part counts, in ms: a flood of probes asks engine and server no more often. */
const FRESH_MS = 2_000;
/** A part that says nothing for so long does not work, in ms. */
const ANSWER_MS = 2_000;

/** What one part of a worker says of itself. */
export interface Check {
  /** `worker:{task queue}`, `engine` or `temporal`. */
  readonly name: string;
  readonly ok: boolean;
  /** A word for programs, such as `DRAINING` or `NO_ANSWER`; absent where the part works. */
  readonly reason?: string;
  /** A sentence for people. */
  readonly message?: string;
}

/** The answer to one probe. */
export interface HealthReport {
  readonly status: 'ok' | 'failing';
  readonly checks: readonly Check[];
}

/** Asks a part outside this process whether it is there; rejects where it is not. */
export type Ping = (signal: AbortSignal) => Promise<unknown>;

/**
 * What probes want to know of a worker process.
 *
 * Alive: the process answers, and no Temporal worker in it has failed, which only a new process mends. Ready: every one
 * polls, and each part outside that it needs has answered within the last seconds.
 */
export class Health {
  readonly #workers = new Map<string, () => State>();
  readonly #pings = new Map<string, () => Promise<Check>>();
  #drains = (): boolean => false;

  /** Watches a Temporal worker; `name` is its task queue. */
  addWorker(name: string, state: () => State): void {
    this.#workers.set(`worker:${name}`, state);
  }

  /** Asks whether the host takes no new work. */
  addDrain(drains: () => boolean): void {
    this.#drains = drains;
  }

  /** Watches a part outside this process. */
  addPing(name: string, ping: Ping): void {
    this.#pings.set(
      name,
      keptFor(FRESH_MS, () => answerOf(name, ping)),
    );
  }

  /** Whether this process should go on. Asks nobody. */
  live(): HealthReport {
    return report([...this.#workers].map(([name, state]) => stateCheck(name, state(), (now) => now !== 'FAILED')));
  }

  /** Whether executions can be done here now. Never rejects; takes at most `ANSWER_MS`. */
  async ready(): Promise<HealthReport> {
    const workers = [...this.#workers].map(([name, state]) => stateCheck(name, state(), (now) => now === 'RUNNING'));
    if (workers.length === 0) workers.push({ name: 'worker', ok: false, reason: 'STARTING' });
    if (this.#drains()) workers.push({ name: 'drain', ok: false, reason: 'DRAINING' });
    return report([...workers, ...(await Promise.all([...this.#pings.values()].map((ping) => ping())))]);
  }
}

function stateCheck(name: string, state: State, isFine: (state: State) => boolean): Check {
  return isFine(state) ? { name, ok: true } : { name, ok: false, reason: state };
}

function report(checks: readonly Check[]): HealthReport {
  return { status: checks.every(({ ok }) => ok) ? 'ok' : 'failing', checks };
}

async function answerOf(name: string, ping: Ping): Promise<Check> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  const silence = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no answer within ${ANSWER_MS} ms`)), { once: true });
  });
  try {
    await Promise.race([ping(signal), silence]);
    return { name, ok: true };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { name, ok: false, reason: signal.aborted ? 'NO_ANSWER' : 'UNREACHABLE', message };
  }
}

/** Asks once for all who ask at the same time, and again when the answer is older than `ms`. */
function keptFor<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask().finally(() => setTimeout(() => (answer = undefined), ms).unref());
    return answer;
  };
}
