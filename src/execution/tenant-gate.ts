import { evenMs } from '../clock';
import { HourglassError, type Tenant } from '../contract';

/** Gives a turn back. Idempotent. */
export type EndTurn = () => void;

/** How long a turn is thought to last before the first one of a tenant has ended, in ms. */
const FIRST_GUESS_MS = 1_000;
/** Weight of the latest turn in what is expected of the next. */
const LATEST_WEIGHT = 0.3;
/** Those that were sent back come again so much faster than turns end: one too many is sent back again, one too few leaves a turn empty. */
const HURRY = 2;
const SHORTEST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 600_000;
/** Longest wait here; after it somebody else may wait here. */
const LONGEST_WAIT_MS = 60_000;

/** What one tenant runs on this host, and what waits for its turn here. */
interface Line {
  /** When each turn began. */
  readonly running: Set<{ readonly since: number }>;
  readonly waiting: ((turn: EndTurn) => void)[];
  meanMs: number;
  /** When the next one that is sent back is to come again. */
  nextDue: number;
}

/** How an execution waits for its tenant's turn. */
export interface TurnWait {
  readonly signal: AbortSignal;
  /** In ms. */
  readonly timeoutMs: number;
}

/**
 * How many executions of one tenant run at a time. Of those beyond, as many as may run wait here, to be there when a turn
 * ends; the others are sent back into Temporal's queue, where they hold nothing, with the time at which to come again.
 */
export class TenantGate {
  readonly #lines = new Map<string, Line>();
  readonly #listeners = new Set<() => void>();
  #waiting = 0;

  /**
   * @param most Of each tenant; undefined: as many as there are.
   * @param mostWaiting Of all tenants together.
   */
  constructor(
    readonly most: number | undefined,
    readonly mostWaiting = Infinity,
  ) {}

  /** Executions that wait for a turn here. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Calls the listener whenever one more or one less waits here. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Resolves when the tenant may run one more.
   *
   * Rejects with HourglassError TENANT_LIMIT, which says when to come again, or with the signal's reason.
   */
  async acquire(tenant: Tenant, { signal, timeoutMs }: TurnWait): Promise<EndTurn> {
    if (this.most === undefined) return () => undefined;
    signal.throwIfAborted();
    const line = this.#lineOf(tenant);
    if (line.running.size < this.most) return this.#begin(line, tenant);
    return this.#wait(line, signal, Math.min(timeoutMs, LONGEST_WAIT_MS));
  }

  /** Notes a turn that has begun already, whether it may or not: others wait until it is given back. */
  take(tenant: Tenant): EndTurn {
    return this.most === undefined ? () => undefined : this.#begin(this.#lineOf(tenant), tenant);
  }

  #begin(line: Line, tenant: Tenant): EndTurn {
    const turn = { since: evenMs() };
    line.running.add(turn);
    return () => {
      if (!line.running.delete(turn)) return;
      line.meanMs += LATEST_WEIGHT * (evenMs() - turn.since - line.meanMs);
      const next = line.running.size < (this.most ?? Infinity) ? line.waiting.shift() : undefined;
      if (next !== undefined) return next(this.#begin(line, tenant));
      // Nobody is here for a turn: those that were sent back are late.
      line.nextDue = 0;
      if (line.running.size === 0) this.#lines.delete(keyOf(tenant));
    };
  }

  async #wait(line: Line, signal: AbortSignal, timeoutMs: number): Promise<EndTurn> {
    const most = this.most ?? Infinity;
    if (timeoutMs === 0 || line.waiting.length >= most || this.#waiting >= this.mostWaiting) throw this.#sentBack(line);
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#count(-1);
      };
      const admit = (turn: EndTurn): void => {
        settle();
        resolve(turn);
      };
      const leave = (reason: unknown): void => {
        settle();
        line.waiting.splice(line.waiting.indexOf(admit), 1);
        reject(reason instanceof Error ? reason : new Error(String(reason)));
      };
      const onAbort = (): void => leave(signal.reason);
      const timer = setTimeout(() => leave(this.#sentBack(line)), timeoutMs);
      signal.addEventListener('abort', onAbort, { once: true });
      line.waiting.push(admit);
      this.#count(1);
    });
  }

  #count(change: number): void {
    this.#waiting += change;
    for (const listener of this.#listeners) listener();
  }

  /** Each is told another time, as far apart as turns are expected to end. */
  #sentBack(line: Line): HourglassError {
    const most = this.most ?? Infinity;
    const now = evenMs();
    const apartMs = expectedMs(line, now) / most / HURRY;
    line.nextDue = Math.max(line.nextDue, now + apartMs * line.waiting.length) + apartMs;
    const dueMs = Math.max(SHORTEST_DELAY_MS, line.nextDue - now);
    // Beyond that nobody can tell: they come when they come, but not all at the same time.
    const retryAfterMs = dueMs < LONGEST_DELAY_MS ? dueMs : LONGEST_DELAY_MS * (0.5 + Math.random() / 2);
    const message = `the tenant runs ${line.running.size} programs on this host, which are as many as it may`;
    return new HourglassError('TENANT_LIMIT', message, { max: most, retryAfterMs: Math.round(retryAfterMs) });
  }

  #lineOf(tenant: Tenant): Line {
    const key = keyOf(tenant);
    const line = this.#lines.get(key) ?? { running: new Set(), waiting: [], meanMs: FIRST_GUESS_MS, nextDue: 0 };
    this.#lines.set(key, line);
    return line;
  }
}

/** Programs that run for long say so before they end. */
function expectedMs({ running, meanMs }: Line, now: number): number {
  const ages = [...running].map(({ since }) => now - since);
  const meanAge = ages.reduce((sum, age) => sum + age, 0) / Math.max(1, ages.length);
  return Math.max(meanMs, meanAge);
}

const keyOf = ({ workspaceId, userId }: Tenant): string => JSON.stringify([workspaceId, userId]);
