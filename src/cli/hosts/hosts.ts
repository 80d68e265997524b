import type { CommandContext } from '../command';
import { useExecutions } from '../executions/use-executions';
import { EXIT } from '../exit-codes';
import { askAll, knownHosts } from './ask';
import { printHosts } from './print';

/** `hourglass hosts`: resolves with the exit code. Rejects with CliError (69) where no server answers. */
export async function listHosts({ terminal: { out }, options, loadConfig }: CommandContext): Promise<number> {
  const config = await loadConfig();
  const { namespace, taskQueue } = config.temporal;
  const hosts = await useExecutions(config, async ({ connection }) => {
    const asking = { connection, namespace, taskQueue };
    return askAll(asking, await knownHosts(asking));
  });
  if (options.json) out.line(JSON.stringify({ taskQueue, hosts }));
  else if (hosts.length === 0) out.line(`No worker polls "${taskQueue}".`);
  else printHosts(hosts, out);
  return EXIT.OK;
}
