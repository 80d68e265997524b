import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
  setCurrentDetails,
} from '@temporalio/workflow';
import type {
  CallOrder,
  CallOutcome,
  SessionOptions,
  SessionPlace,
  SessionStatus,
  SessionTask,
} from '../../src/contract';
import { CallQueue } from './call-queue';
import { Deadlines } from './deadlines';
import { SESSION_ENDS, type EndReason } from './ends';
import { lossOf, lostFailure, sessionFailure } from './failures';
import type { Carried, Renewal, SessionEnd, SessionInput } from './messages';
import { SessionHosts, type CallFacts } from './session-host';
import { statusTable } from './status-table';

/** Sandboxes that one call may lose before it fails. */
const MAX_LOSSES = 2;
/** Uploads and rollbacks whose answer is remembered, and calls that are kept from beginning. */
const MAX_REMEMBERED = 100;
/** Policies by which a session outlives its sandbox. */
const GOES_ON: ReadonlySet<SessionOptions['onLost']> = new Set(['recreate', 'restore']);

/** One session from its first call to its end, over all runs of its workflow. */
export class Session {
  readonly #options: SessionOptions;
  readonly #hosts: SessionHosts;
  readonly #queue: CallQueue;
  readonly #scopes = new Map<string, CancellationScope>();
  readonly #interrupted: string[] = [];
  readonly #deadlines: Deadlines;
  readonly #uploads: string[];
  #place: SessionPlace | undefined;
  /** Sandboxes that were lost and are being removed. */
  #removals = 0;
  #calls: number;
  #recreated: number;
  #isRecreated: boolean;
  #end: EndReason | undefined;
  #isGone = false;

  constructor({ options, carried = newlyOpened() }: SessionInput) {
    this.#options = options;
    this.#hosts = new SessionHosts(options);
    this.#queue = new CallQueue(carried.positions);
    this.#uploads = [...carried.uploads];
    this.#place = carried.place;
    const idleTtlMs = options.idleTtlMs ?? carried.place?.idleTtlMs;
    this.#deadlines = new Deadlines(
      carried.openedAt,
      carried.lastUsedAt,
      carried.expiresAt,
      idleTtlMs,
      carried.drainsAt,
    );
    this.#calls = carried.calls;
    this.#recreated = carried.recreated;
    this.#isRecreated = carried.isRecreated;
  }

  get end(): EndReason | undefined {
    return this.#end;
  }

  /** Throws ApplicationFailure SESSION_CLOSED or SESSION_LOST where nothing can be asked of it any more. */
  requireOpen(): void {
    if (this.#end === undefined) return;
    const type = this.#end === 'lost' ? 'SESSION_LOST' : 'SESSION_CLOSED';
    throw sessionFailure(type, `session ${this.#options.sessionId} ${SESSION_ENDS[this.#end]}`);
  }

  /** Does one task when it is its turn. */
  async call(order: CallOrder, task: SessionTask): Promise<CallOutcome> {
    const callId = idOf(order);
    if (!(await this.#queue.enter(order))) this.requireOpen();
    const isRepeated = this.#queue.isPast(order);
    try {
      this.requireOpen();
      if (this.#interrupted.includes(callId)) throw new CancelledFailure('the call was interrupted before it began');
      if (isRepeated && isRemembered(task)) return this.#answerAgain(callId, task.kind);
      return await this.#inScope(callId, () => this.#perform(callId, task, isRepeated));
    } finally {
      this.#calls += isRepeated ? 0 : 1;
      this.#deadlines.touch();
      this.#queue.leave(order);
      this.#show();
    }
  }

  /** Ends the program of a call, or keeps it from beginning; does nothing where it has ended. */
  interrupt(order: CallOrder): void {
    this.#scopes.get(idOf(order))?.cancel();
    remember(this.#interrupted, idOf(order));
  }

  /** Counts the time without a call from now on. */
  renew(renewal: Renewal | null | undefined): SessionStatus {
    this.#deadlines.renew(renewal?.idleTtlMs);
    return this.status();
  }

  /** Ends the session after that time, where it is on this host; what runs then may end. Null: the host is not drained any more. */
  drain(hostId: string, noticeMs: number | null): void {
    if (hostId !== this.#place?.hostId) return;
    this.#deadlines.drain(noticeMs === null ? undefined : Date.now() + noticeMs);
    this.#show();
  }

  /** Ends the session; resolves when its sandbox is gone. */
  async close(): Promise<SessionEnd> {
    this.#finish('closed');
    await condition(() => this.#isGone);
    return this.summary();
  }

  /** Resolves when the session has ended, or when `mustMove` says that this run has to and nothing is under way. */
  async untilEnd(mustMove: () => boolean): Promise<void> {
    try {
      await this.#untilDue(mustMove);
    } catch (error) {
      this.#finish('cancelled');
      await this.destroy();
      throw error;
    }
  }

  /** Destroys the sandbox, and ends what runs in it first; a host that is drained lets that end by itself. Requires: ended. */
  async destroy(): Promise<void> {
    if (this.#end !== 'drained') for (const scope of this.#scopes.values()) scope.cancel();
    await CancellationScope.nonCancellable(() => condition(() => this.#queue.isIdle));
    if (this.#place !== undefined) await this.#hosts.close(this.#place, this.#recreated, true);
    this.#isGone = true;
    this.#show();
  }

  /** For the next run. Requires: nothing is under way. */
  carried(): Carried {
    const { openedAt, lastUsedAt, expiresAt, drainsAt } = this.#deadlines;
    return {
      ...{ place: this.#place, openedAt, lastUsedAt, expiresAt, drainsAt },
      ...{ calls: this.#calls, recreated: this.#recreated, isRecreated: this.#isRecreated },
      ...{ positions: this.#queue.positions, uploads: this.#uploads },
    };
  }

  /** The options for the next run. */
  options(): SessionOptions {
    const { idleTtlMs } = this.#deadlines;
    return idleTtlMs === undefined ? this.#options : { ...this.#options, idleTtlMs };
  }

  summary(): SessionEnd {
    return { sessionId: this.#options.sessionId, reason: this.#end ?? 'closed', calls: this.#calls };
  }

  status(): SessionStatus {
    const { sessionId, language } = this.#options;
    const working = this.#queue.isIdle ? 'idle' : 'busy';
    const phase = this.#place === undefined && this.#calls === 0 && working === 'idle' ? 'new' : working;
    const { openedAt, lastUsedAt, expiresAt: end, drainsAt, idleTtlMs } = this.#deadlines;
    const expiresAt = end === undefined ? {} : { expiresAt: isoTime(end) };
    const draining = drainsAt === undefined ? {} : { drainsAt: isoTime(drainsAt) };
    const idleTtl = idleTtlMs === undefined ? {} : { idleTtlMs };
    return {
      ...{ sessionId, language, phase: this.#end === undefined ? phase : 'closed', calls: this.#calls },
      ...{ waiting: this.#queue.waiting, hostId: this.#place?.hostId, sandboxId: this.#place?.sandboxId },
      ...{ openedAt: isoTime(openedAt), lastUsedAt: isoTime(lastUsedAt), ...expiresAt, ...draining, ...idleTtl },
      recreated: this.#recreated,
    };
  }

  async #inScope<T>(callId: string, work: () => Promise<T>): Promise<T> {
    const scope = new CancellationScope({ cancellable: true });
    this.#scopes.set(callId, scope);
    this.#show();
    try {
      return await scope.run(work);
    } catch (error) {
      // What the end of the session has ended says so.
      if (isCancellation(error) && this.#end !== undefined) this.requireOpen();
      throw error;
    } finally {
      this.#scopes.delete(callId);
    }
  }

  async #perform(callId: string, task: SessionTask, isRepeated: boolean, losses = 0): Promise<CallOutcome> {
    const place = await this.#requirePlace();
    const facts: CallFacts = { isRecreated: this.#isRecreated, isRepeated };
    try {
      const outcome = await this.#hosts.call(place, this.#recreated, callId, withId(task, callId), facts);
      if (outcome.kind === 'execute') this.#isRecreated = false;
      if (isRemembered(task)) remember(this.#uploads, callId);
      return outcome;
    } catch (error) {
      const loss = lossOf(error);
      if (loss === undefined) throw error;
      this.#onLoss(place);
      const isOver = loss.mayHaveRun || this.#end !== undefined || losses + 1 >= MAX_LOSSES;
      if (isOver) throw lostFailure(loss, place);
      return this.#perform(callId, task, isRepeated, losses + 1);
    }
  }

  async #requirePlace(): Promise<SessionPlace> {
    if (this.#place !== undefined) return this.#place;
    try {
      this.#place = await this.#hosts.open(this.#recreated);
    } catch (error) {
      // Nobody waits for a session that never was: the next caller opens another one.
      if (this.#calls === 0 && !isCancellation(error)) this.#finish('refused');
      throw error;
    }
    this.#deadlines.fill(this.#place);
    return this.#place;
  }

  /** What is left of the sandbox goes, where its host comes back; nobody waits for that. */
  #onLoss(place: SessionPlace): void {
    this.#place = undefined;
    this.#deadlines.drain(undefined);
    if (!GOES_ON.has(this.#options.onLost)) return this.#finish('lost');
    const generation = this.#recreated;
    this.#recreated += 1;
    this.#isRecreated = true;
    this.#removals += 1;
    void this.#hosts.close(place, generation, false).finally(() => (this.#removals -= 1));
  }

  #answerAgain(callId: string, kind: Remembered['kind']): CallOutcome {
    if (this.#uploads.includes(callId)) return { kind };
    throw sessionFailure('OUTCOME_UNKNOWN', `the ${kind} was answered before, and its answer is not kept any more`);
  }

  #finish(reason: EndReason): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#queue.close();
  }

  async #untilDue(mustMove: () => boolean): Promise<void> {
    const isQuiet = (): boolean => this.#queue.isIdle && this.#removals === 0 && allHandlersFinished();
    const canMove = (): boolean => mustMove() && isQuiet();
    while (this.#end === undefined && !canMove()) {
      const left = this.#deadlines.msLeft(this.#queue.isIdle);
      const seen = this.#deadlines.changes;
      if (left <= 0) this.#finish(this.#dueReason());
      // A call moves the deadline; the timer is not set anew for each, but looks again when it fires.
      else await condition(() => this.#end !== undefined || canMove() || this.#deadlines.changes !== seen, left);
    }
  }

  #dueReason(): EndReason {
    if (this.#deadlines.isExpired) return 'expired';
    return this.#deadlines.isDrained ? 'drained' : 'idle';
  }

  #show(): void {
    setCurrentDetails(statusTable(this.status()));
  }
}

type Remembered = Extract<SessionTask, { kind: 'upload' | 'rollback' }>;

/** What has no result that its host would have kept. */
function isRemembered(task: SessionTask): task is Remembered {
  return task.kind === 'upload' || task.kind === 'rollback';
}

function newlyOpened(): Carried {
  const now = Date.now();
  const counts = { calls: 0, recreated: 0, isRecreated: false };
  return { openedAt: now, lastUsedAt: now, positions: [], uploads: [], ...counts };
}

function idOf({ client, number }: CallOrder): string {
  return `${client}-${number}`;
}

/** Results are found again by the id of their execution, which the caller may have left out. */
function withId(task: SessionTask, callId: string): SessionTask {
  if (task.kind !== 'execute') return task;
  return { ...task, request: { ...task.request, executionId: task.request.executionId ?? callId } };
}

function remember(ids: string[], id: string): void {
  ids.push(id);
  if (ids.length > MAX_REMEMBERED) ids.shift();
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
