import { Client, type Connection } from '@temporalio/client';
import { tenantOf, type SessionStatus, type Tenant } from '../../contract';
import { statusQuery } from '../../../workflows/session/messages';
import { ExecutionDirectory, SESSION_TYPE, type ListedExecution } from '../executions/directory';

/** A worker that lives answers within a moment. */
const ANSWER_MS = 5_000;
const WORKFLOW_ID = /^session\/([^/]+)\/([^/]+)\/([^/]+)$/;

/** Whose session a workflow is. */
export interface SessionName extends Tenant {
  readonly sessionId: string;
}

/** What the id of a session's workflow says; undefined for one that we have not made. */
export function sessionNameOf(workflowId: string): SessionName | undefined {
  const [, workspaceId, userId, sessionId] = WORKFLOW_ID.exec(workflowId) ?? [];
  return sessionId === undefined ? undefined : { ...tenantOf({ workspaceId, userId }), sessionId };
}

/** The sessions of one namespace. */
export class SessionDirectory {
  readonly #client: Client;
  readonly #executions: ExecutionDirectory;

  constructor(
    private readonly connection: Connection,
    private readonly namespace: string,
  ) {
    this.#client = new Client({ connection, namespace });
    this.#executions = new ExecutionDirectory(connection, namespace);
  }

  /** At most `limit` that are open, the newest first. May be a moment late. */
  open(limit: number): Promise<ListedExecution[]> {
    return this.#executions.openSessions(limit);
  }

  /** Whether one is open this moment; undefined where there never was one of that id. */
  async isOpen(workflowId: string): Promise<boolean | undefined> {
    const found = await this.#executions.describe({ workflowId });
    return found?.type === SESSION_TYPE ? found.isOpen : undefined;
  }

  /** What one says of itself; undefined where nobody answers for it. */
  async status(workflowId: string): Promise<SessionStatus | undefined> {
    const handle = this.#client.workflow.getHandle(workflowId);
    try {
      return await this.connection.withDeadline(Date.now() + ANSWER_MS, () => handle.query(statusQuery));
    } catch {
      return undefined;
    }
  }

  /** Lets any worker go on with a session at once, not only the one that had it in memory, which is gone. */
  async leaveToAnyWorker(workflowId: string): Promise<void> {
    const { connection, namespace } = this;
    const reset = connection.workflowService.resetStickyTaskQueue({ namespace, execution: { workflowId } });
    // Without that it waits some seconds for the other one.
    await reset.catch(() => undefined);
  }

  /** Asks for the end of one, which holds also where no worker is there to hear it. */
  async requestEnd(workflowId: string): Promise<void> {
    await this.#client.workflow.getHandle(workflowId).cancel();
  }
}
