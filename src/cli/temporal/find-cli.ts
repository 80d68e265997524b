import { CliError } from '../errors';
import { EXIT } from '../exit-codes';

/**
 * Path of the Temporal CLI: the one on the PATH, else the one set-up has, which is fetched where it is missing.
 *
 * `say` is told what takes time. Rejects with a SetupError that says what to type where there is none to be had.
 */
export async function findTemporalCli(say?: (text: string) => void): Promise<string> {
  const { ensureTemporalCli } = await import('../../../infra/setup/index.js');
  const found = await ensureTemporalCli(say);
  if ('path' in found) return found.path;
  // Set-up reads the environment only; a server named there is one that the configuration names, too.
  throw new CliError(`the server at ${found.address} is not used by this configuration`, EXIT.INTERNAL);
}
