import { inLanes } from '../../lanes';
import type { CommandContext } from '../command';
import { useExecutions } from '../executions/use-executions';
import { EXIT } from '../exit-codes';
import type { ListOptions } from './options';
import { printSessions, sessionRow } from './rows';

/** Questions to sessions at the same time. */
const LANES = 8;

/** `hourglass session ls`: resolves with the exit code. Rejects with CliError (69) where no server answers. */
export async function listSessions({ terminal, options, loadConfig }: CommandContext<ListOptions>): Promise<number> {
  const config = await loadConfig();
  await useExecutions(config, async ({ sessions }) => {
    const listed = await sessions.open(options.limit);
    const rows = await inLanes(listed, LANES, async (session) =>
      sessionRow(session, await sessions.status(session.workflowId)),
    );
    // The list may be a moment late: what has ended since then says so.
    const open = rows.filter(({ status }) => status?.phase !== 'closed');
    if (options.json) terminal.out.line(JSON.stringify({ sessions: open }));
    else printSessions(open, terminal.out);
  });
  return EXIT.OK;
}
