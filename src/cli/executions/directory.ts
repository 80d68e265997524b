import { Client, type Connection } from '@temporalio/client';
import { executionMemoSchema, MEMO_KEY, type ExecutionMemo } from '../../contract';
import type { executeCode } from '../../../workflows';
import { jsonOf, type RawPayload } from '../../payload';
import { outcomeOfStatus, readOutcome, type Outcome } from './outcome';
import type { OpenWorkflow } from './standing';

/** Type of the workflow that is an execution. */
export const EXECUTION_TYPE = 'executeCode';
/** Type of the workflow that is a session. */
export const SESSION_TYPE = 'codeSession';

/** Id of the workflow that the client makes for an execution. */
export const workflowIdOf = (executionId: string): string => `execution-${executionId}`;

const OPEN = 1;
const NOT_FOUND = 5;

/** One execution as the server lists it. Everything in it may be written by others: escape it before it is shown. */
export interface ListedExecution {
  readonly workflowId: string;
  readonly runId: string;
  /** Name of the workflow's type. */
  readonly type: string;
  readonly isOpen: boolean;
  /** Number of the status in Temporal's API. */
  readonly status: number;
  readonly taskQueue: string;
  /** ms since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly memo: ExecutionMemo | undefined;
}

/** One execution as the server describes it. */
export interface DescribedExecution extends ListedExecution {
  readonly open: OpenWorkflow;
}

interface Timestamp {
  readonly seconds?: unknown;
  readonly nanos?: number | null;
}

interface RawInfo {
  readonly execution?: { readonly workflowId?: string | null; readonly runId?: string | null } | null;
  readonly type?: { readonly name?: string | null } | null;
  readonly status?: number | null;
  readonly taskQueue?: string | null;
  readonly startTime?: Timestamp | null;
  readonly closeTime?: Timestamp | null;
  readonly memo?: { readonly fields?: Readonly<Record<string, RawPayload>> | null } | null;
}

/** The executions of one namespace. Each method is one call of the server. */
export class ExecutionDirectory {
  readonly #client: Client;

  constructor(
    private readonly connection: Connection,
    private readonly namespace: string,
  ) {
    this.#client = new Client({ connection, namespace });
  }

  /** At most `limit` that are open, or that have ended (since a time), the newest first. */
  async list(kind: 'open' | 'ended', limit: number, since?: Date): Promise<ListedExecution[]> {
    const { executions } = await this.connection.workflowService.listWorkflowExecutions({
      namespace: this.namespace,
      pageSize: limit,
      query: queryFor(kind, since),
    });
    return (executions ?? []).slice(0, limit).map(listed);
  }

  /** At most `limit` sessions that are open, the newest first. */
  async openSessions(limit: number): Promise<ListedExecution[]> {
    const { executions } = await this.connection.workflowService.listWorkflowExecutions({
      namespace: this.namespace,
      pageSize: limit,
      query: `WorkflowType = "${SESSION_TYPE}" AND ExecutionStatus = "Running"`,
    });
    return (executions ?? []).slice(0, limit).map(listed);
  }

  /** How many there are; may be a moment late. */
  async count(kind: 'open' | 'ended', since?: Date): Promise<number> {
    const { namespace } = this;
    const query = queryFor(kind, since);
    const { count } = await this.connection.workflowService.countWorkflowExecutions({ namespace, query });
    return Number(count ?? 0);
  }

  /** How one stands this moment; the latest run where none is named. Undefined where there is none of that id. */
  async describe(execution: { workflowId: string; runId?: string }): Promise<DescribedExecution | undefined> {
    const { namespace } = this;
    try {
      const found = await this.connection.workflowService.describeWorkflowExecution({ namespace, execution });
      return { ...listed(found.workflowExecutionInfo ?? {}), open: found };
    } catch (error) {
      if ((error as { code?: unknown }).code === NOT_FOUND) return undefined;
      throw error;
    }
  }

  /** How one that has ended did. Never rejects for what its result is. */
  async outcome(execution: ListedExecution): Promise<Outcome> {
    const { workflowId, runId, status } = execution;
    const handle = this.#client.workflow.getHandle<typeof executeCode>(workflowId, runId, { followRuns: false });
    return outcomeOfStatus(status) ?? readOutcome(execution, () => handle.result());
  }
}

function queryFor(kind: 'open' | 'ended', since: Date | undefined): string {
  const status = `ExecutionStatus ${kind === 'open' ? '=' : '!='} "Running"`;
  const ended = since === undefined ? '' : ` AND CloseTime >= "${since.toISOString()}"`;
  return `WorkflowType = "${EXECUTION_TYPE}" AND ${status}${ended}`;
}

function listed({ execution, type, status, taskQueue, startTime, closeTime, memo }: RawInfo): ListedExecution {
  return {
    workflowId: execution?.workflowId ?? '',
    runId: execution?.runId ?? '',
    type: type?.name ?? '',
    isOpen: Number(status) === OPEN,
    status: Number(status),
    taskQueue: taskQueue ?? '',
    startedAt: toMs(startTime) ?? 0,
    endedAt: toMs(closeTime),
    memo: executionMemoSchema.safeParse(jsonOf(memo?.fields?.[MEMO_KEY])).data,
  };
}

function toMs(time: Timestamp | null | undefined): number | undefined {
  if (!time) return undefined;
  return Number(time.seconds ?? 0) * 1_000 + Math.floor((time.nanos ?? 0) / 1_000_000);
}
