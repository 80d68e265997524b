import { sessionWorkflowId } from '../contract';
import { inLanes } from '../lanes';
import type { Drain } from '../leases/drain';
import type { LeaseStore } from '../leases/lease-store';
import { ownLeases } from '../leases/own-leases';
import type { Log } from '../telemetry/log';
import { keyOf } from './session-record';
import type { SessionRun } from './watch-sessions';

const PARALLEL_NOTICES = 4;
/** How late a session hears that was just opened, or taken over. */
const CHECK_MS = 5_000;

/** Tells a session how long it may go on, in ms; null: as long as it likes. Rejects where the server does not answer. */
export type TellSession = (run: SessionRun, noticeMs: number | null) => Promise<void>;

export interface NoticeOptions {
  readonly drain: Drain;
  readonly store: LeaseStore;
  readonly workerId: string;
  readonly tell: TellSession;
  readonly log: Log;
}

/** Gives the sessions of this worker notice while its host is drained, and takes it back where that is over; the result stops it. */
export function watchDrain(options: NoticeOptions): () => void {
  const notices = new Notices(options);
  const check = (): void => void notices.check();
  const forget = options.drain.onChange(check);
  const timer = setInterval(check, CHECK_MS).unref();
  check();
  return () => {
    clearInterval(timer);
    forget();
  };
}

class Notices {
  /** Until when each session knows that it may go on, by the first run of its workflow. */
  readonly #told = new Map<string, number>();
  #checking: Promise<void> | undefined;

  constructor(private readonly options: NoticeOptions) {}

  /** Never rejects: what could not be told now is told at the next check. */
  check(): Promise<void> {
    this.#checking ??= this.#tellAll()
      .catch((error: unknown) => this.options.log.warn({ error }, 'Sessions could not be told of a drain'))
      .finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  async #tellAll(): Promise<void> {
    const { drain, store, workerId } = this.options;
    const until = drain.mark?.sessionsCloseAt;
    if (until === undefined && this.#told.size === 0) return;
    const keys = ownLeases(store, workerId).flatMap((lease) => keyOf(lease) ?? []);
    const runs = new Set(keys.map(({ firstRunId }) => firstRunId));
    for (const known of this.#told.keys()) if (!runs.has(known)) this.#told.delete(known);
    await inLanes(keys, PARALLEL_NOTICES, async (key) => {
      const { sessionId, firstRunId } = key;
      if (this.#told.get(firstRunId) === until) return;
      const noticeMs = until === undefined ? null : Math.max(0, until - Date.now());
      await this.options.tell({ workflowId: sessionWorkflowId(key, sessionId), firstRunId }, noticeMs);
      if (until === undefined) this.#told.delete(firstRunId);
      else this.#told.set(firstRunId, until);
      this.options.log.info({ sessionId, noticeMs }, 'A session was told of a drain');
    });
  }
}
