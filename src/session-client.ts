import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import {
  HourglassError,
  parseAs,
  rollbackSchema,
  SESSION_BOUNDS,
  sessionOptionsSchema,
  type CallOrder,
  type ExecutionRequest,
  type ExecutionResult,
  type SessionFiles,
  type SessionOptions,
  type SessionStatus,
} from './contract';
import { parseRequest } from './execution/parse-request';
import {
  closeUpdate,
  downloadUpdate,
  executeUpdate,
  interruptUpdate,
  listFilesUpdate,
  renewUpdate,
  rollbackUpdate,
  statusQuery,
  uploadUpdate,
} from '../workflows/session/messages';
import { SessionCalls } from './session-calls';

/** A program for a session: a request without what the session says itself. */
export type SessionRequest = Omit<ExecutionRequest, 'language' | 'sessionId' | 'workspaceId' | 'userId'>;

/** The session that a request opens where it is not there: with the limits of a sandbox that it asks for. */
export function sessionOf(request: ExecutionRequest & { readonly sessionId: string }): SessionOptions {
  const { sessionId, language, workspaceId, userId, label, resourceLimits } = request;
  const { memoryMb, diskMb, cpuCores, maxPids } = resourceLimits ?? {};
  const limits = resourceLimits === undefined ? {} : { resourceLimits: { memoryMb, diskMb, cpuCores, maxPids } };
  return { sessionId, language, workspaceId, userId, label, ...limits };
}

const OF_SESSION = ['language', 'sessionId', 'workspaceId', 'userId'] as const;

/** What a request asks of its session. */
export function programOf(request: ExecutionRequest): SessionRequest {
  const program: Partial<ExecutionRequest> = { ...request };
  for (const key of OF_SESSION) delete program[key];
  return program;
}

/** How one program is run. */
export interface CallOptions {
  /** Ends the program, not the session. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Id of the call, of the caller's own choosing (up to 64 letters, digits, `_` and `-`): asked again under it, by whichever
   * client, the same call is joined, and its program does not run twice. Default: one that no other call has.
   */
  readonly callId?: string | undefined;
}

/** The files of a session, below /sandbox. */
export interface SessionFileAccess {
  /** Puts a file into the session, in the place of one of that name; at most 1 MiB, larger ones are `inputFiles` of a call. */
  upload(path: string, content: Uint8Array | string): Promise<void>;
  /** Reads a file of at most 1 MiB; larger ones are `outputFiles` of a call. */
  download(path: string): Promise<Buffer>;
  list(): Promise<SessionFiles>;
}

/**
 * One session: its calls run one at a time, in the order in which they are made. One that could not be opened is opened again by
 * the next call; once a call was answered, those after it go to no other session of that id.
 *
 * Everything rejects with HourglassError: SESSION_LOST and SESSION_CLOSED where the state is gone.
 */
export interface HourglassSession extends AsyncDisposable {
  readonly sessionId: string;
  readonly workflowId: string;
  /** Whether a call of this object was answered. */
  readonly hasAnswered: boolean;
  readonly files: SessionFileAccess;
  /** Runs one program in the state that those before have left. */
  run(program: string | SessionRequest, options?: CallOptions): Promise<ExecutionResult>;
  /**
   * Goes back to the state that a call has left, by `metadata.session.call` of its result; 0: before the first one. Variables and
   * what lies in /sandbox are as they were then, and what came later is gone.
   *
   * Rejects with ROLLBACK_REFUSED where that cannot be, and nothing is changed; with ROLLBACK_INCOMPLETE where files are missing.
   */
  rollback(call: number): Promise<void>;
  /** Counts the time without a call from now on, and changes how long it may be. */
  renew(idleTtlMs?: number): Promise<SessionStatus>;
  status(): Promise<SessionStatus>;
  /** Ends the session; resolves when its sandbox is gone. One that has ended is left as it is. */
  close(): Promise<void>;
}

/** A session that its first call opens, or joins where it is open. Throws HourglassError VALIDATION_ERROR. */
export function openSessionClient(client: Client, taskQueue: string, options: SessionOptions): HourglassSession {
  parseAs(sessionOptionsSchema, options, 'session');
  return new SessionClient(options, new SessionCalls(client, taskQueue, options));
}

class SessionClient implements HourglassSession {
  readonly files: SessionFileAccess;

  constructor(
    private readonly options: SessionOptions,
    private readonly calls: SessionCalls,
  ) {
    this.files = {
      upload: (path, content) => this.#upload(path, content),
      download: (path) => this.#download(path),
      list: () => calls.call(listFilesUpdate, [calls.nextOrder()]),
    };
  }

  get sessionId(): string {
    return this.options.sessionId;
  }

  get workflowId(): string {
    return this.calls.workflowId;
  }

  get hasAnswered(): boolean {
    return this.calls.hasAnswered;
  }

  async run(program: string | SessionRequest, { signal, callId }: CallOptions = {}): Promise<ExecutionResult> {
    const { language } = this.options;
    const asked: SessionRequest = typeof program === 'string' ? { code: program } : program;
    const request: ExecutionRequest = { ...asked, language, executionId: asked.executionId ?? randomUUID() };
    parseRequest(request);
    signal?.throwIfAborted();
    const order = callId === undefined ? this.calls.nextOrder() : { client: callId, number: 1 };
    const interrupt = (): void => void this.#interrupt(order);
    signal?.addEventListener('abort', interrupt, { once: true });
    try {
      return await this.calls.call(executeUpdate, [order, request]);
    } finally {
      signal?.removeEventListener('abort', interrupt);
    }
  }

  async rollback(call: number): Promise<void> {
    const to = parseAs(rollbackSchema, { call }, 'rollback');
    await this.calls.call(rollbackUpdate, [this.calls.nextOrder(), to]);
  }

  async renew(idleTtlMs?: number): Promise<SessionStatus> {
    const renewal = idleTtlMs === undefined ? null : { idleTtlMs };
    return this.calls.ask((handle) => handle.executeUpdate(renewUpdate, { args: [renewal] }));
  }

  status(): Promise<SessionStatus> {
    return this.calls.ask((handle) => handle.query(statusQuery));
  }

  async close(): Promise<void> {
    try {
      await this.calls.ask((handle) => handle.executeUpdate(closeUpdate));
    } catch (error) {
      if (!(error instanceof HourglassError) || error.code !== 'SESSION_CLOSED') throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A call that has ended meanwhile cannot be interrupted, and its result says so. */
  async #interrupt(order: CallOrder): Promise<void> {
    await this.calls.ask((handle) => handle.executeUpdate(interruptUpdate, { args: [order] })).catch(() => undefined);
  }

  async #upload(path: string, content: Uint8Array | string): Promise<void> {
    const bytes = Buffer.from(content as Uint8Array);
    if (bytes.length > SESSION_BOUNDS.fileBytes) {
      const message = `file ${JSON.stringify(path)} has ${bytes.length} bytes, a call takes ${SESSION_BOUNDS.fileBytes}; name it in inputFiles`;
      throw new HourglassError('VALIDATION_ERROR', message, { path });
    }
    await this.calls.call(uploadUpdate, [this.calls.nextOrder(), { path, contentBase64: bytes.toString('base64') }]);
  }

  async #download(path: string): Promise<Buffer> {
    const { contentBase64 } = await this.calls.call(downloadUpdate, [this.calls.nextOrder(), { path }]);
    return Buffer.from(contentBase64, 'base64');
  }
}
