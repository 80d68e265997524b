import { Option } from 'commander';
import type { DrainOptions } from '../hosts/options';
import type { CommandDefinition } from '../program';
import { parseDuration } from '../run/quantities';

const NOTICE_MS = 300_000;

const HELP = `
The host begins no execution and opens no session any more; what runs, ends by itself. Sessions go on for the time of --notice;
then they are closed when the call that runs has ended, and their callers get SESSION_CLOSED. The host stays drained when its
worker is restarted, until --undo. "hourglass hosts" shows when nothing runs there any more.
Exit codes: 75 where no worker of the host answers, which was told nothing then; 66 where no host is named and none is here; 69
where no server answers.`;

/** `hourglass drain`: lets a host run empty. */
export const drainCommand: CommandDefinition = (program, bind) => {
  program
    .command('drain')
    .description('let a host take no new work')
    .argument('[host]', 'as "hosts" shows it; default: this one')
    .option('--undo', 'take new work again')
    .addOption(
      new Option('--notice <duration>', 'how long sessions may go on, such as 30m or 0')
        .argParser(parseDuration)
        .default(NOTICE_MS, '5m'),
    )
    .addHelpText('after', HELP)
    .action(
      bind<DrainOptions>(async (context, host) => {
        const { drainHost } = await import('../hosts/drain.js');
        return drainHost(context, host);
      }),
    );
};
