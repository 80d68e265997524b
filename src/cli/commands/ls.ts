import { Option } from 'commander';
import { STATES } from '../executions/standing';
import type { LsOptions } from '../ls/options';
import type { CommandDefinition } from '../program';
import { parseDuration, parseRows } from '../run/quantities';

const HELP = `
States: running (its phase beside it), waiting (for a worker, for memory, for another attempt, or paused), ended (how).
Shown are workflows of type executeCode in the namespace, those of "run" and "batch" among them, the newest first. What has
a sandbox on this host and no such workflow ("batch --direct", an activity that a workflow of yours calls itself) is listed
apart; on other hosts that is not to be seen. Sessions are listed by "session ls".
Exit code 69 where no server answers; none is started.`;

/** `hourglass ls`: what runs, what waits, what has ended. */
export const lsCommand: CommandDefinition = (program, bind) => {
  program
    .command('ls')
    .description('list executions: running, waiting, ended')
    .addOption(new Option('-s, --state <state...>', 'only these').choices(STATES))
    .option('-n, --limit <number>', 'at most so many open ones, and so many that have ended', parseRows, 20)
    .option('--since <duration>', 'of those that have ended, only the ones of this time, such as 1h', parseDuration)
    .addHelpText('after', HELP)
    .action(
      bind<LsOptions>(async (context) => {
        const { listExecutions } = await import('../ls/ls.js');
        return listExecutions(context);
      }),
    );
};
