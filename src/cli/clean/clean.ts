import type { HourglassConfig } from '../../config';
import { openLeaseStore } from '../../leases/lmdb-lease-store';
import type { CommandContext } from '../command';
import { describeFailure } from '../errors';
import { EXIT } from '../exit-codes';
import { cleanImages } from './images';
import type { CleanOptions } from './options';
import { NOTHING, type PartResult } from './part';
import { printFailures, printResult } from './print';
import { cleanSandboxes } from './sandboxes';
import { cleanWorkspaces } from './workspaces';

/**
 * `hourglass clean`: resolves with the exit code. What one part cannot do stops no other; the exit code is that of the
 * first failure.
 */
export async function clean({ terminal, options, loadConfig }: CommandContext<CleanOptions>): Promise<number> {
  const config = await loadConfig();
  const { removed, kept, bytes, failures } = join(await runParts(config, options));
  const told = failures.map(describeFailure);
  if (options.json) {
    const failed = told.map(({ code, message }) => ({ code, message }));
    terminal.out.line(JSON.stringify({ dryRun: options.dryRun === true, removed, kept, bytes, failures: failed }));
  } else {
    printResult({ removed, kept, bytes }, options, terminal.out);
  }
  printFailures(told, terminal.err);
  return told[0]?.exitCode ?? EXIT.OK;
}

async function runParts(config: HourglassConfig, options: CleanOptions): Promise<PartResult[]> {
  const dryRun = options.dryRun === true;
  const workspaces = await attempt(() => cleanWorkspaces(config, dryRun));
  const ofEngine = await attempt(async () => {
    const store = await openLeaseStore(config.stateDir);
    try {
      const sandboxes = await attempt(() => cleanSandboxes(config, store, dryRun));
      // After the containers, which hold their images.
      const images = options.images === true ? await attempt(() => cleanImages(config, store, options)) : NOTHING;
      return join([sandboxes, images]);
    } finally {
      await store.close();
    }
  });
  return [ofEngine, workspaces];
}

async function attempt(part: () => Promise<PartResult>): Promise<PartResult> {
  try {
    return await part();
  } catch (error) {
    return { ...NOTHING, failures: [error] };
  }
}

function join(parts: readonly PartResult[]): PartResult {
  return {
    removed: parts.flatMap(({ removed }) => removed),
    kept: parts.flatMap(({ kept }) => kept),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    failures: parts.flatMap(({ failures }) => failures),
  };
}
