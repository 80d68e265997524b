import { idSchema, LONGEST_NOTICE_MS, type DrainOrder } from '../../contract';
import { loadHostId } from '../../leases/host-id';
import { hasLeaseStore } from '../../leases/lmdb-lease-store';
import type { CommandContext } from '../command';
import { CliError } from '../errors';
import { useExecutions } from '../executions/use-executions';
import { EXIT } from '../exit-codes';
import { askAll } from './ask';
import type { DrainOptions } from './options';
import { printHosts } from './print';

/**
 * `hourglass drain`: resolves with the exit code when the host has heard; without a name it is this one.
 *
 * Rejects with CliError: 69 where no server answers, 64 for what is no name or notice, 66 where there is no host here.
 */
export async function drainHost(
  { terminal: { out, err }, options, loadConfig }: CommandContext<DrainOptions>,
  name: string | undefined,
): Promise<number> {
  const config = await loadConfig();
  const order = orderOf(options);
  const hostId = name === undefined ? await ownHost(config.stateDir) : checked(name);
  const { namespace, taskQueue } = config.temporal;
  const hosts = await useExecutions(config, ({ connection }) =>
    askAll({ connection, namespace, taskQueue }, [hostId], order),
  );
  if (options.json) out.line(JSON.stringify({ taskQueue, hosts }));
  else printHosts(hosts, out);
  if (hosts.every(({ report }) => report !== undefined)) return EXIT.OK;
  err.line(err.colors.yellow(`No worker of host ${hostId} answers at "${taskQueue}": it was told nothing`));
  return EXIT.TRY_AGAIN;
}

function orderOf({ undo, notice }: DrainOptions): DrainOrder {
  if (undo === true) return { v: 1, drains: false };
  if (notice <= LONGEST_NOTICE_MS) return { v: 1, drains: true, noticeMs: Math.round(notice) };
  throw new CliError(`sessions get a notice of at most ${LONGEST_NOTICE_MS} ms`, EXIT.USAGE);
}

async function ownHost(stateDir: string): Promise<string> {
  if (hasLeaseStore(stateDir)) return loadHostId(stateDir);
  throw new CliError('no worker has run on this host; "hourglass hosts" names others', EXIT.NO_INPUT);
}

function checked(name: string): string {
  if (idSchema.safeParse(name).success) return name;
  throw new CliError('that is not the name of a host; "hourglass hosts" shows them', EXIT.USAGE);
}
