import type { ExecutionResult, Tenant } from '../../contract';
import type { DescribedExecution, ListedExecution } from './directory';
import type { Outcome } from './outcome';
import { standingOf, type State } from './standing';

/** One line of `hourglass ls`, with every fact that is known. Times in ms. */
export interface ExecutionRow {
  readonly workflowId: string;
  readonly runId: string;
  readonly executionId?: string;
  readonly state: State;
  /** The phase of what runs, what the execution waits for, or how it ended. */
  readonly detail: string;
  readonly exitCode?: number;
  readonly tenant?: Tenant;
  readonly language?: string;
  readonly label?: string;
  readonly taskQueue: string;
  readonly attempt?: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt?: string;
  /** From the start of the workflow to its end, or until now. */
  readonly ageMs: number;
  readonly queuedMs?: number;
  readonly runningMs?: number;
  readonly hostId?: string;
  readonly sandboxId?: string;
  /** Link into the Temporal UI, where there is one. */
  readonly url?: string;
}

/** Row of an execution that is open. */
export function openRow(execution: DescribedExecution, now: number): ExecutionRow {
  const { state, detail, attempt, heartbeat } = standingOf(execution.open);
  return {
    ...common(execution, now),
    ...(heartbeat === undefined ? {} : { executionId: heartbeat.executionId }),
    state,
    detail,
    ...(attempt === undefined ? {} : { attempt }),
    ...(heartbeat === undefined ? {} : pick(heartbeat)),
  };
}

/** Row of an execution that has ended. */
export function endedRow(execution: ListedExecution, { outcome, result }: Outcome, now: number): ExecutionRow {
  return {
    ...common(execution, now),
    state: 'ended',
    detail: outcome,
    ...(result === undefined ? {} : fromResult(result)),
  };
}

function common(execution: ListedExecution, now: number): Omit<ExecutionRow, 'state' | 'detail'> {
  const { workflowId, runId, taskQueue, startedAt, endedAt, memo } = execution;
  return {
    workflowId,
    runId,
    taskQueue,
    ...(memo === undefined ? {} : fromMemo(memo)),
    startedAt: new Date(startedAt).toISOString(),
    ...(endedAt === undefined ? {} : { endedAt: new Date(endedAt).toISOString() }),
    ageMs: Math.max(0, (endedAt ?? now) - startedAt),
  };
}

function fromMemo({ executionId, workspaceId, userId, language, label }: NonNullable<ListedExecution['memo']>): object {
  return { executionId, tenant: { workspaceId, userId }, language, ...(label === undefined ? {} : { label }) };
}

function pick(heartbeat: NonNullable<ReturnType<typeof standingOf>['heartbeat']>): Partial<ExecutionRow> {
  const { queuedMs, runningMs, hostId, sandboxId } = heartbeat;
  return { queuedMs, runningMs, hostId, ...(sandboxId === undefined ? {} : { sandboxId }) };
}

function fromResult({ metadata }: ExecutionResult): Partial<ExecutionRow> {
  const { executionId, exitCode, language, queueTimeMs, executionTimeMs, hostId, sandboxId, attempt } = metadata;
  const times = { queuedMs: queueTimeMs, runningMs: executionTimeMs };
  return { executionId, exitCode, language, attempt, ...times, hostId, sandboxId };
}
