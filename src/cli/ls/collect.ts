import { inLanes } from '../../lanes';
import { EXECUTION_TYPE, workflowIdOf, type ListedExecution } from '../executions/directory';
import { endedRow, openRow, type ExecutionRow } from '../executions/row';
import { STATES } from '../executions/standing';
import type { Executions } from '../executions/use-executions';
import type { HostedExecution } from './hosted';
import type { LsOptions } from './options';

/** Questions to the server at the same time. */
const LANES = 8;

/** What `hourglass ls` shows. */
export interface Listing {
  /** Those that run, those that wait, those that have ended; the newest of each first. */
  readonly executions: readonly ExecutionRow[];
  /** How many there are in the namespace; those beyond `limit` are not in `executions`. */
  readonly total: { readonly open?: number; readonly ended?: number };
  /** What has a sandbox on this host and no workflow that is known here. */
  readonly unlisted: readonly HostedExecution[];
}

type Server = Pick<Executions, 'directory' | 'urlOf'>;
type Choice = Pick<LsOptions, 'state' | 'limit' | 'since'>;

/**
 * Asks the server: two questions for each kind, one or two for each row, and one for each of `hosted` that is not among
 * the rows: behind many that wait, the newest that are open do not run.
 */
export async function collectExecutions(
  server: Server,
  hosted: readonly HostedExecution[],
  choice: Choice,
  now: number = Date.now(),
): Promise<Listing> {
  const { state = STATES } = choice;
  const { listed, total } = await listExecutions(server, choice, now);
  const rows = (await inLanes(listed, LANES, (execution) => read(server, execution, now))).flatMap((row) => row ?? []);
  const known = new Set(rows.map(({ executionId }) => executionId));
  const missing = state.includes('running') ? hosted.filter(({ executionId }) => !known.has(executionId)) : [];
  const { found, unlisted } = await lookUp(server, missing, now);
  const runs = new Set(rows.map(({ runId }) => runId));
  const executions = [...rows, ...found.filter(({ runId }) => !runs.has(runId))]
    .filter((row) => state.includes(row.state))
    .map((row) => withUrl(row, server.urlOf))
    .sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state));
  return { executions, total, unlisted };
}

async function listExecutions(
  { directory }: Server,
  { state = STATES, limit, since }: Choice,
  now: number,
): Promise<{ listed: ListedExecution[]; total: Listing['total'] }> {
  const after = since === undefined ? undefined : new Date(now - since);
  const wantsOpen = state.some((wanted) => wanted !== 'ended');
  const wantsEnded = state.includes('ended');
  const [open, ended, openCount, endedCount] = await Promise.all([
    wantsOpen ? directory.list('open', limit) : [],
    wantsEnded ? directory.list('ended', limit, after) : [],
    wantsOpen ? directory.count('open') : undefined,
    wantsEnded ? directory.count('ended', after) : undefined,
  ]);
  return { listed: unique([...open, ...ended]), total: { open: openCount, ended: endedCount } };
}

/** What was open a moment ago may have ended, or be gone: undefined then. */
async function read({ directory }: Server, listed: ListedExecution, now: number): Promise<ExecutionRow | undefined> {
  if (!listed.isOpen) return endedRow(listed, await directory.outcome(listed), now);
  const described = await directory.describe(listed);
  if (described === undefined) return undefined;
  return described.isOpen ? openRow(described, now) : endedRow(described, await directory.outcome(described), now);
}

/** Finds the workflows of what has a sandbox here. One that has ended may still have its sandbox for a moment. */
async function lookUp(
  { directory }: Server,
  hosted: readonly HostedExecution[],
  now: number,
): Promise<{ found: ExecutionRow[]; unlisted: HostedExecution[] }> {
  const found: ExecutionRow[] = [];
  const unlisted: HostedExecution[] = [];
  await inLanes(hosted, LANES, async (execution) => {
    const described = await directory.describe({ workflowId: workflowIdOf(execution.executionId) });
    if (described?.type !== EXECUTION_TYPE) unlisted.push(execution);
    else if (described.isOpen) found.push(openRow(described, now));
  });
  return { found, unlisted };
}

/** What ended between the two lists is in both. */
function unique(executions: readonly ListedExecution[]): ListedExecution[] {
  return [...new Map(executions.map((execution) => [execution.runId, execution])).values()];
}

function withUrl(row: ExecutionRow, urlOf: Executions['urlOf']): ExecutionRow {
  const url = urlOf(row.workflowId, row.runId);
  return url === undefined ? row : { ...row, url };
}
