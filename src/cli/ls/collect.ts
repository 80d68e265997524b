import { inLanes } from '../../lanes';
import type { ListedExecution } from '../executions/directory';
import { endedRow, openRow, type ExecutionRow } from '../executions/row';
import { STATES } from '../executions/standing';
import type { Executions } from '../executions/use-executions';
import type { LsOptions } from './options';

/** Questions to the server at the same time. */
const LANES = 8;

/** What `hourglass ls` shows. */
export interface Listing {
  /** Those that run, those that wait, those that have ended; the newest of each first. */
  readonly executions: readonly ExecutionRow[];
  /** How many there are in the namespace; those beyond `limit` are not in `executions`. */
  readonly total: { readonly open?: number; readonly ended?: number };
}

/** Asks the server: two questions for each kind, and one for each row. */
export async function collectExecutions(
  { directory, urlOf }: Pick<Executions, 'directory' | 'urlOf'>,
  { state = STATES, limit, since }: Pick<LsOptions, 'state' | 'limit' | 'since'>,
  now: number = Date.now(),
): Promise<Listing> {
  const after = since === undefined ? undefined : new Date(now - since);
  const wantsOpen = state.some((wanted) => wanted !== 'ended');
  const wantsEnded = state.includes('ended');
  const [open, ended, openCount, endedCount] = await Promise.all([
    wantsOpen ? directory.list('open', limit) : [],
    wantsEnded ? directory.list('ended', limit, after) : [],
    wantsOpen ? directory.count('open') : undefined,
    wantsEnded ? directory.count('ended', after) : undefined,
  ]);
  const read = async (execution: ListedExecution): Promise<ExecutionRow | undefined> => {
    if (!execution.isOpen) return endedRow(execution, await directory.outcome(execution), now);
    // What was open a moment ago may have ended, or be gone.
    const described = await directory.describe(execution);
    if (described === undefined) return undefined;
    return described.isOpen ? openRow(described, now) : endedRow(described, await directory.outcome(described), now);
  };
  const rows = await inLanes(unique([...open, ...ended]), LANES, read);
  const executions = rows
    .filter((row) => row !== undefined)
    .filter((row) => state.includes(row.state))
    .map((row) => withUrl(row, urlOf))
    .sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state));
  return { executions, total: { open: openCount, ended: endedCount } };
}

/** What ended between the two lists is in both. */
function unique(executions: readonly ListedExecution[]): ListedExecution[] {
  return [...new Map(executions.map((execution) => [execution.runId, execution])).values()];
}

function withUrl(row: ExecutionRow, urlOf: Executions['urlOf']): ExecutionRow {
  const url = urlOf(row.workflowId, row.runId);
  return url === undefined ? row : { ...row, url };
}
