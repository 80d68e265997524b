import { Option } from 'commander';
import type { CancelOptions } from '../cancel/options';
import type { CommandDefinition } from '../program';
import { parseDuration } from '../run/quantities';

const DEFAULT_WAIT_MS = 60_000;

const HELP = `
For each id it says what happened: cancelled, ended (by itself, a moment before), already-ended, requested (with --no-wait),
not-ended (in the time of --timeout; the cancellation goes on), not-found, not-ours (a workflow of another type), session (which
"session rm" ends).
Exit codes: 0 where nothing of them runs any more, or was asked to end; 1 not found or not ours; 75 not ended in time;
69 where no server answers; 130 at Ctrl-C, which ends the wait and not the cancellation.`;

/** `hourglass cancel`: ends executions and waits until they have ended. */
export const cancelCommand: CommandDefinition = (program, bind) => {
  program
    .command('cancel')
    .description('cancel executions and wait until they have ended')
    .argument('<id...>', 'of an execution or of its workflow, as "ls" shows them')
    .option('--no-wait', 'only ask for the end')
    .addOption(
      new Option('-t, --timeout <duration>', 'longest wait, such as 30s')
        .argParser(parseDuration)
        .default(DEFAULT_WAIT_MS, '1m'),
    )
    .addHelpText('after', HELP)
    .action(
      bind<CancelOptions>(async (context, ...ids) => {
        const { cancelExecutions } = await import('../cancel/cancel.js');
        return cancelExecutions(
          context,
          ids.filter((id) => id !== undefined),
        );
      }),
    );
};
