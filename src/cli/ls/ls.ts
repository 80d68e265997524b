import type { CommandContext } from '../command';
import { useExecutions } from '../executions/use-executions';
import { EXIT } from '../exit-codes';
import { findPollers } from '../run/pollers';
import { collectExecutions } from './collect';
import { hostedExecutions } from './hosted';
import type { LsOptions } from './options';
import { printListing } from './print';

/** `hourglass ls`: resolves with the exit code. Rejects with CliError (69) where no server answers. */
export async function listExecutions({ terminal, options, loadConfig }: CommandContext<LsOptions>): Promise<number> {
  const config = await loadConfig();
  const { namespace, taskQueue } = config.temporal;
  await useExecutions(config, async (found) => {
    const [listing, workers] = await Promise.all([
      hostedExecutions(config.stateDir).then((hosted) => collectExecutions(found, hosted, options)),
      findPollers(found.connection, namespace, taskQueue),
    ]);
    if (options.json) terminal.out.line(JSON.stringify({ ...listing, taskQueue, workers }));
    else printListing(listing, terminal.out);
    const waits = listing.executions.some((row) => row.state === 'waiting' && row.taskQueue === taskQueue);
    if (waits && workers.length === 0) {
      const { yellow } = terminal.err.colors;
      terminal.err.line(yellow(`No worker polls "${taskQueue}": what waits there goes on when one is started`));
    }
  });
  return EXIT.OK;
}
