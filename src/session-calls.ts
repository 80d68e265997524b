import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  ServiceError,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type Client,
  type WorkflowHandle,
  type WorkflowUpdateHandle,
} from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import type { codeSession } from '../workflows';
import { SESSION_ENDS } from '../workflows/session/ends';
import { SESSION_MOVES } from '../workflows/session/messages';
import { summariseSession } from '../workflows/summary';
import { toExecutionError } from './client-errors';
import { HourglassError, sessionWorkflowIdOf, type CallOrder, type SessionOptions } from './contract';

/** How often something that passes is asked again, and for how long. */
const RETRY_MS = 100;
const PATIENCE_MS = 10 * 60_000;
/** Of gRPC: more calls are under way than the server takes for one workflow. */
const RESOURCE_EXHAUSTED = 8;
/** Types of failures after which a call is for the next run: its run took it and did not answer, or takes no more. */
const FOR_NEXT_RUN: readonly (string | undefined)[] = ['AcceptedUpdateCompletedWorkflow', SESSION_MOVES];

type Handle = WorkflowHandle<typeof codeSession>;
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the SDK has it: parameters of a function
type Update<Result, Args extends any[]> = UpdateDefinition<Result, Args>;

/** Sends the calls of one client to one session, numbered and taken in the order in which they are made. */
export class SessionCalls {
  readonly workflowId: string;
  #client = randomUUID();
  #number = 0;
  /** The session that a call of this client has reached: those after it go to no other. */
  #pinned: Handle | undefined;
  /** Settles when the call before has been taken, or was refused. */
  #line: Promise<unknown> = Promise.resolve();
  #outstanding = 0;
  #hasAnswered = false;

  constructor(
    private readonly client: Client,
    private readonly taskQueue: string,
    private readonly options: SessionOptions,
  ) {
    this.workflowId = sessionWorkflowIdOf(options);
  }

  /** Whether the session has answered a call of this client. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** The number of the next call, which is made before anything is waited for. */
  nextOrder(): CallOrder {
    this.#number += 1;
    return { client: this.#client, number: this.#number };
  }

  /**
   * Sends one call and waits for its answer; the first one opens the session where there is none.
   *
   * Rejects with HourglassError or ExecutionCancelled.
   */
  async call<Result, Args extends [CallOrder, ...unknown[]]>(
    update: Update<Result, Args>,
    args: Args,
  ): Promise<Result> {
    this.#outstanding += 1;
    try {
      const taken = this.#line.then(() => this.#take(update, args));
      this.#line = taken.catch(() => undefined);
      const answer = await this.#answerOf(await taken, update, args);
      this.#hasAnswered = true;
      return answer;
    } finally {
      this.#outstanding -= 1;
      if (!this.#hasAnswered && this.#outstanding === 0) this.#beginAnew();
    }
  }

  /** Asks for what is no call: of the session that was reached, else of whatever goes by its id. Rejects as `call` does. */
  async ask<T>(ask: (handle: Handle) => Promise<T>): Promise<T> {
    return this.#patiently(() => ask(this.#handle));
  }

  /** Nothing was answered, so there is no state to stay with: the next call opens a session again, as somebody else's would. */
  #beginAnew(): void {
    this.#client = randomUUID();
    this.#number = 0;
    this.#pinned = undefined;
  }

  get #handle(): Handle {
    return this.#pinned ?? this.client.workflow.getHandle<typeof codeSession>(this.workflowId);
  }

  #take<Result, Args extends [CallOrder, ...unknown[]]>(
    update: Update<Result, Args>,
    args: Args,
  ): Promise<WorkflowUpdateHandle<Result>> {
    const updateId = `${args[0].client}-${args[0].number}`;
    const options = { args, updateId, waitForStage: 'ACCEPTED' } as const;
    return this.#patiently(async () => {
      if (this.#pinned !== undefined) return this.#pinned.startUpdate(update, options);
      const startWorkflowOperation = this.#opening();
      const taken = this.client.workflow.startUpdateWithStart(update, { ...options, startWorkflowOperation });
      const handle = await taken;
      await this.#pin();
      return handle;
    });
  }

  /** The answer of a call; a refusal comes as one, too. */
  async #answerOf<Result, Args extends [CallOrder, ...unknown[]]>(
    taken: WorkflowUpdateHandle<Result>,
    update: Update<Result, Args>,
    args: Args,
  ): Promise<Result> {
    let handle = taken;
    for (;;) {
      try {
        return await handle.result();
      } catch (error) {
        if (!FOR_NEXT_RUN.includes(failureTypeOf(error))) throw await this.#explain(error);
        await sleep(RETRY_MS);
        handle = await this.#take(update, args);
      }
    }
  }

  #opening(): WithStartWorkflowOperation<typeof codeSession> {
    return new WithStartWorkflowOperation<typeof codeSession>('codeSession', {
      workflowId: this.workflowId,
      taskQueue: this.taskQueue,
      args: [{ v: 1, options: this.options }],
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: summariseSession(this.options),
    });
  }

  /**
   * A session of the same id that is opened later is another one: this client's calls do not go to it. One that has ended
   * has only told again what it told before, to a call that was asked again: the next call opens another.
   */
  async #pin(): Promise<void> {
    const { raw, status } = await this.#handle.describe();
    if (status.name !== 'RUNNING') return;
    // Servers before 1.25 do not say which chain of runs it is.
    const firstExecutionRunId = raw.workflowExecutionInfo?.firstRunId || undefined;
    const options = firstExecutionRunId === undefined ? {} : { firstExecutionRunId };
    this.#pinned = this.client.workflow.getHandle<typeof codeSession>(this.workflowId, undefined, options);
  }

  /** Asks again as long as the reason for which it fails passes by itself. */
  async #patiently<T>(ask: () => Promise<T>): Promise<T> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!this.#isPassing(error) || Date.now() > until) throw await this.#explain(error);
        await sleep(RETRY_MS);
      }
    }
  }

  /** A session that is just ending is none to join: the next try opens another one. */
  #isPassing(error: unknown): boolean {
    if (error instanceof ServiceError) {
      const { cause } = error;
      return isGrpcServiceError(cause) && Number(cause.code) === RESOURCE_EXHAUSTED;
    }
    const type = failureTypeOf(error);
    return type === SESSION_MOVES || (type === 'SESSION_CLOSED' && this.#pinned === undefined);
  }

  async #explain(error: unknown): Promise<unknown> {
    if (!(error instanceof WorkflowNotFoundError)) return toExecutionError(this.workflowId, error);
    const message = `session ${this.options.sessionId} ${await this.#howItEnded()}, and its state is gone`;
    return new HourglassError('SESSION_CLOSED', message, {}, { cause: error });
  }

  async #howItEnded(): Promise<string> {
    const words = new Map<string, string>(Object.entries(SESSION_ENDS));
    const end = await this.#pinned?.result().catch(() => undefined);
    return words.get(end?.reason ?? '') ?? 'has ended';
  }
}

function failureTypeOf(error: unknown): string | undefined {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? (cause.type ?? undefined) : undefined;
}
