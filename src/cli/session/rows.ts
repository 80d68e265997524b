import type { SessionStatus, Tenant } from '../../contract';
import { escapeControls } from '../../telemetry/safe-text';
import type { ListedExecution } from '../executions/directory';
import { formatAge } from '../format-age';
import { table } from '../table';
import type { Channel } from '../terminal';
import { sessionNameOf } from './directory';
import { endOf } from './end-of';

/** One line of `hourglass session ls`, with every fact that is known. Everything in it may be written by others. */
export interface SessionRow {
  readonly workflowId: string;
  readonly sessionId?: string;
  readonly tenant?: Tenant;
  /** What it says itself; absent where no worker answers for it. */
  readonly status?: SessionStatus;
  /** ISO 8601; when it ends if nobody uses it. */
  readonly endsAt?: string;
  readonly taskQueue: string;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** The row of one session; its status is undefined where nobody answers. */
export function sessionRow(
  { workflowId, taskQueue, startedAt }: ListedExecution,
  status: SessionStatus | undefined,
): SessionRow {
  const name = sessionNameOf(workflowId);
  const end = status === undefined ? undefined : endOf(status);
  return {
    workflowId,
    ...(name === undefined
      ? {}
      : { sessionId: name.sessionId, tenant: { workspaceId: name.workspaceId, userId: name.userId } }),
    ...(status === undefined ? {} : { status }),
    ...(end === undefined ? {} : { endsAt: new Date(end).toISOString() }),
    taskQueue,
    startedAt: new Date(startedAt).toISOString(),
  };
}

/** Prints sessions as a table. */
export function printSessions(rows: readonly SessionRow[], channel: Channel, now = Date.now()): void {
  if (rows.length === 0) return channel.line('No open sessions.');
  const heading = ['state', 'name', 'tenant', 'language', 'calls', 'idle', 'ends in', 'host'].map(channel.colors.dim);
  for (const line of table(
    heading,
    rows.map((row) => cells(row, channel, now)),
  ))
    channel.line(line);
}

function cells({ workflowId, sessionId, tenant, status, endsAt }: SessionRow, channel: Channel, now: number): string[] {
  const since = (time: string): string => formatAge(Math.max(0, now - Date.parse(time)));
  const until = (time: string): string => formatAge(Math.max(0, Date.parse(time) - now));
  return [
    paintedState(status, channel),
    escapeControls(sessionId ?? workflowId),
    tenant === undefined ? '-' : escapeControls(`${tenant.workspaceId}/${tenant.userId}`),
    escapeControls(status?.language ?? '-'),
    String(status?.calls ?? '-'),
    status === undefined || status.phase === 'busy' ? '-' : since(status.lastUsedAt),
    endsAt === undefined ? '-' : until(endsAt),
    escapeControls(status?.hostId ?? '-'),
  ];
}

function paintedState(status: SessionStatus | undefined, { colors }: Channel): string {
  if (status === undefined) return colors.yellow('no answer');
  return status.phase === 'busy' ? colors.green(status.phase) : escapeControls(status.phase);
}
