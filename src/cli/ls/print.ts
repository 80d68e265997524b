import { escapeControls, safeText } from '../../telemetry/safe-text';
import type { ExecutionRow } from '../executions/row';
import type { State } from '../executions/standing';
import { formatAge } from '../format-age';
import { table } from '../table';
import type { Channel } from '../terminal';
import type { Listing } from './collect';

const LABEL_SHOWN = 40;

/** Prints executions as a table; ids and labels are others' words and are shown, never obeyed. */
export function printListing({ executions, total, unlisted }: Listing, channel: Channel): void {
  const { dim } = channel.colors;
  if (executions.length === 0) channel.line('No executions.');
  else for (const line of tableOf(executions, channel)) channel.line(line);
  for (const kind of ['open', 'ended'] as const) {
    const shown = executions.filter((row) => (row.state === 'ended') === (kind === 'ended')).length;
    const all = total[kind] ?? 0;
    if (all > shown) channel.line(dim(`\n${shown} of ${all} ${kind} executions; --limit and --state choose others`));
  }
  if (unlisted.length > 0) printUnlisted(unlisted, channel);
}

function printUnlisted(unlisted: Listing['unlisted'], channel: Channel): void {
  channel.line('\nOn this host, without a workflow that is known here (such as "batch --direct"):');
  const heading = ['phase', 'age', 'tenant', 'execution', 'sandbox'].map(channel.colors.dim);
  const rows = unlisted.map(({ phase, ageMs, tenant, executionId, sandboxId }) =>
    [phase, formatAge(ageMs), `${tenant.workspaceId}/${tenant.userId}`, executionId, sandboxId].map(escapeControls),
  );
  for (const line of table(heading, rows)) channel.line(line);
}

function tableOf(executions: readonly ExecutionRow[], channel: Channel): string[] {
  const hasLinks = executions.some(({ url }) => url !== undefined);
  const heading = ['state', 'detail', 'duration', 'program', 'tenant', 'id', ...(hasLinks ? ['link'] : [])];
  return table(
    heading.map((name) => channel.colors.dim(name)),
    executions.map((row) => cells(row, channel)),
  );
}

function cells(row: ExecutionRow, { colors }: Channel): string[] {
  const paint: Readonly<Record<State, (text: string) => string>> = {
    running: colors.green,
    waiting: colors.yellow,
    ended: row.detail === 'succeeded' ? colors.dim : colors.red,
  };
  const retried = row.attempt !== undefined && row.attempt > 1 ? `, attempt ${row.attempt}` : '';
  return [
    paint[row.state](row.state),
    `${escapeControls(row.detail)}${retried}`,
    formatAge(row.ageMs),
    program(row),
    row.tenant === undefined ? '-' : escapeControls(`${row.tenant.workspaceId}/${row.tenant.userId}`),
    escapeControls(row.workflowId),
    row.url === undefined ? '' : colors.cyan(escapeControls(row.url)),
  ];
}

function program({ language, label }: ExecutionRow): string {
  const parts = [language, label === undefined ? undefined : safeText(label, LABEL_SHOWN)];
  return (
    parts
      .filter((part) => part !== undefined)
      .map(escapeControls)
      .join(' · ') || '-'
  );
}
