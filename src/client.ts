import { randomUUID } from 'node:crypto';
import {
  Client,
  Connection,
  WorkflowNotFoundError,
  type ConnectionOptions,
  type WorkflowHandle,
} from '@temporalio/client';
import type { Priority } from '@temporalio/common';
import { toExecutionError } from './client-errors';
import { MEMO_KEY, memoOf, type ExecutionRequest, type ExecutionResult, type SessionOptions } from './contract';
import { defaultUiUrl, executionUrl } from './execution-url';
import { parseRequest } from './execution/parse-request';
import type { executeCode } from '../workflows';
import { summarise } from '../workflows/summary';
import { openSessionClient, programOf, sessionOf, type CallOptions, type HourglassSession } from './session-client';
import { watchProgress, type ProgressListener } from './watch-progress';

export { ExecutionCancelled, ExecutionNotFound } from './client-errors';
export { HourglassError } from './contract';
export type { CallOptions, HourglassSession, SessionFileAccess, SessionRequest } from './session-client';
export type { ProgressListener } from './watch-progress';

/** Task queue of workers and clients that name none. */
export const DEFAULT_TASK_QUEUE = 'hourglass';
const DEFAULT_ADDRESS = 'localhost:7233';

export interface HourglassClientOptions {
  /** A connection of the caller, who also closes it; otherwise one is made from `address`, `tls` and `apiKey`. */
  readonly connection?: Connection;
  /** `host:port` of the Temporal server; default `localhost:7233`. */
  readonly address?: string | undefined;
  readonly tls?: ConnectionOptions['tls'];
  readonly apiKey?: string | undefined;
  /** Default: `default`. */
  readonly namespace?: string | undefined;
  /** Queue that the workers poll; default `hourglass`. */
  readonly taskQueue?: string | undefined;
  /** Base of links into the Temporal UI; default: port 1000 above the address, as the dev server has it. */
  readonly uiUrl?: string | undefined;
}

export interface StartOptions {
  /** Id of the workflow; default `execution-` and the execution's id. A running one of the same id is joined. */
  readonly workflowId?: string;
  /** Of its tasks in their queues, as Temporal has it. Default: those of one tenant share a fairness key. */
  readonly priority?: Priority;
}

export interface RunOptions extends StartOptions {
  /** Cancels the execution; `run` then rejects with ExecutionCancelled once the sandbox is gone. */
  readonly signal?: AbortSignal;
  /** Hears within about a second what the program says by `hourglass.progress()`. */
  readonly onProgress?: ProgressListener;
}

/** One execution that was started. */
export interface ExecutionHandle {
  readonly workflowId: string;
  readonly runId: string;
  /** Link into the Temporal UI. */
  readonly url: string;
  /** Resolves with what the program left behind, rejects with HourglassError or ExecutionCancelled. */
  result(): Promise<ExecutionResult>;
  /** Asks for the end of the program; resolves when the server knows, `result` rejects when the sandbox is gone. */
  cancel(): Promise<void>;
}

/** Runs programs through a Temporal server. */
export interface HourglassClient {
  /**
   * Runs one program to its end; one that names a `sessionId` in that session, which is opened where it is not there. What runs
   * in a session at the same time runs as it arrives; `session` keeps the order of the calls.
   */
  run(request: ExecutionRequest, options?: RunOptions): Promise<ExecutionResult>;
  /** Starts one program. Rejects with HourglassError VALIDATION_ERROR before anything is sent. */
  start(request: ExecutionRequest, options?: StartOptions): Promise<ExecutionHandle>;
  /**
   * A session, whose interpreter keeps its state from call to call. Its first call opens it, or joins the one that is open
   * under this id. Throws HourglassError VALIDATION_ERROR.
   */
  session(options: SessionOptions): HourglassSession;
  /** Waits for an execution that was started before, by its workflow id. Rejects with ExecutionNotFound, too. */
  result(workflowId: string): Promise<ExecutionResult>;
  /** Asks for the end of an execution, by its workflow id; one that has ended is left as it is. Rejects with ExecutionNotFound. */
  cancel(workflowId: string): Promise<void>;
  /** Link of an execution into the Temporal UI. */
  executionUrl(workflowId: string, runId?: string): string;
  /** Closes the connection where the client made it. Idempotent. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Connects to the server and resolves when it answers; rejects where it does not. */
export async function createHourglassClient(options: HourglassClientOptions = {}): Promise<HourglassClient> {
  const address = options.address ?? DEFAULT_ADDRESS;
  const { tls, apiKey } = options;
  const connection = options.connection ?? (await Connection.connect({ address, tls, apiKey }));
  return new TemporalClient(connection, options, address);
}

async function resultOf(handle: WorkflowHandle<typeof executeCode>): Promise<ExecutionResult> {
  try {
    return await handle.result();
  } catch (error) {
    throw toExecutionError(handle.workflowId, error);
  }
}

/** Temporal answers "not found" for an execution that has ended as for one that never was. */
async function cancelOf(handle: WorkflowHandle): Promise<void> {
  try {
    await handle.cancel();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    await handle.describe().catch((cause: unknown) => {
      throw toExecutionError(handle.workflowId, cause);
    });
  }
}

class TemporalClient implements HourglassClient {
  readonly #client: Client;
  readonly #uiUrl: string;
  readonly #namespace: string;
  readonly #taskQueue: string;
  #closed: Promise<void> | undefined;

  constructor(
    readonly connection: Connection,
    readonly options: HourglassClientOptions,
    address: string,
  ) {
    this.#namespace = options.namespace ?? 'default';
    this.#taskQueue = options.taskQueue ?? DEFAULT_TASK_QUEUE;
    this.#uiUrl = options.uiUrl ?? defaultUiUrl(address);
    this.#client = new Client({ connection, namespace: this.#namespace });
  }

  async run(request: ExecutionRequest, { signal, onProgress, ...options }: RunOptions = {}): Promise<ExecutionResult> {
    signal?.throwIfAborted();
    if (request.sessionId !== undefined) return this.#runInSession(request, request.sessionId, { signal, onProgress });
    const handle = await this.start(request, options);
    const cancel = (): void => {
      // An execution that has ended meanwhile cannot be cancelled, and its result says so.
      handle.cancel().catch(() => undefined);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted === true) cancel();
    const watching = new AbortController();
    if (onProgress) void watchProgress(this.#handle(handle), onProgress, watching.signal);
    try {
      return await handle.result();
    } finally {
      watching.abort();
      signal?.removeEventListener('abort', cancel);
    }
  }

  async #runInSession(
    request: ExecutionRequest,
    sessionId: string,
    { signal, onProgress }: Pick<CallOptions, 'signal'> & { readonly onProgress: ProgressListener | undefined },
  ): Promise<ExecutionResult> {
    parseRequest(request);
    const executionId = request.executionId ?? randomUUID();
    const session = this.session(sessionOf({ ...request, sessionId }));
    const watching = new AbortController();
    const handle = this.#client.workflow.getHandle(session.workflowId);
    if (onProgress) void watchProgress(handle, onProgress, watching.signal, executionId);
    try {
      return await session.run({ ...programOf(request), executionId }, { signal });
    } finally {
      watching.abort();
    }
  }

  #handle({ workflowId, runId }: ExecutionHandle): WorkflowHandle {
    return this.#client.workflow.getHandle(workflowId, undefined, { firstExecutionRunId: runId });
  }

  async start(request: ExecutionRequest, { workflowId, priority }: StartOptions = {}): Promise<ExecutionHandle> {
    parseRequest(request);
    const executionId = request.executionId ?? randomUUID();
    const started = await this.#client.workflow.start<typeof executeCode>('executeCode', {
      workflowId: workflowId ?? `execution-${executionId}`,
      taskQueue: this.#taskQueue,
      args: [{ ...request, executionId }],
      ...(priority === undefined ? {} : { priority }),
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: summarise(request),
      memo: { [MEMO_KEY]: memoOf({ ...request, executionId }) },
    });
    return {
      workflowId: started.workflowId,
      runId: started.firstExecutionRunId,
      url: this.executionUrl(started.workflowId, started.firstExecutionRunId),
      result: () => resultOf(started),
      cancel: () => cancelOf(started),
    };
  }

  session(options: SessionOptions): HourglassSession {
    return openSessionClient(this.#client, this.#taskQueue, options);
  }

  result(workflowId: string): Promise<ExecutionResult> {
    return resultOf(this.#client.workflow.getHandle<typeof executeCode>(workflowId));
  }

  async cancel(workflowId: string): Promise<void> {
    await cancelOf(this.#client.workflow.getHandle(workflowId));
  }

  executionUrl(workflowId: string, runId?: string): string {
    return executionUrl({ uiUrl: this.#uiUrl, namespace: this.#namespace, workflowId, runId });
  }

  close(): Promise<void> {
    this.#closed ??= this.options.connection === undefined ? this.connection.close() : Promise.resolve();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
