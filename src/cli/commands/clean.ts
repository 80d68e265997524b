import { Option } from 'commander';
import type { CleanOptions } from '../clean/options';
import type { CommandDefinition } from '../program';
import { parseDuration } from '../run/quantities';

const DAY_MS = 86_400_000;

const HELP = `
What goes: sandboxes of workers of this host that are dead, with their leases and records; sandboxes of other hosts that
ended long ago; files that crashed processes staged in the workspace (what they had committed is published); with --images
the sandbox images of other versions and what is left of their builds. What stays: all that a living worker has, all that
anybody else made however alike it looks, every image that a container or a living worker uses. Workers do the same for
themselves, but for the images. Exit code 0, or that of the first part that could not be done; the others are done then.`;

/** `hourglass clean`: removes what is ours and has no owner any more. */
export const cleanCommand: CommandDefinition = (program, bind) => {
  program
    .command('clean')
    .description('remove what crashed workers and earlier versions left behind')
    .option('--dry-run', 'say what would go, and change nothing')
    .option('--images', 'also sandbox images of other versions')
    .addOption(
      new Option('--older-than <duration>', 'with --images: younger images stay')
        .argParser(parseDuration)
        .default(DAY_MS, '24h'),
    )
    .addHelpText('after', HELP)
    .action(
      bind<CleanOptions>(async (context) => {
        const { clean } = await import('../clean/clean.js');
        return clean(context);
      }),
    );
};
