import { Option, type Command } from 'commander';
// By itself: who asks for help does not wait for the contract's schemas.
import { LANGUAGES } from '../../contract/languages';
import { CliError } from '../errors';
import { EXIT } from '../exit-codes';
import type { BindAction, CommandDefinition } from '../program';
import { parseDuration, parseKeptCalls, parseMegabytes, parseRows } from '../run/quantities';
import type { ListOptions, RemoveOptions, SessionCommandOptions } from '../session/options';

const DEFAULT_WAIT_MS = 60_000;

const HELP = `
On a terminal it opens a prompt: each block runs in the state that those before have left. Ctrl-C ends a program, Ctrl-D
leaves, .help lists the rest. Elsewhere all of stdin is one program, and the exit code is its own, as with "run":
  echo 'x = 6' | hourglass session mine
  echo 'print(x * 7)' | hourglass session mine
The session goes on after that; "hourglass session rm mine" ends it. Without a worker it ends by itself, and with a server
that this command has started: "hourglass dev" starts both to stay.
Exit codes beside those of "run": 65 the session has another language or other limits, 66 it has ended, 75 it was lost.`;

const LS_HELP = `
States: new, idle, busy, as the session says itself; "no answer" where no worker asks for it. Exit code 69 where no server answers.`;

const RM_HELP = `
For each name it says what happened: closed, already-ended, not-ended (in the time of --wait; it goes on), not-found.
Exit codes: 0 where none of them is open any more; 1 not found; 75 not ended in time; 69 where no server answers.`;

/** `hourglass session`: a prompt on a session, or one program from stdin; `ls` and `rm` beside it. */
export const sessionCommand: CommandDefinition = (program, bind) => {
  const session = program
    .command('session')
    .enablePositionalOptions()
    .description('open a prompt on a session, whose state stays from program to program')
    .argument('[name]', 'of the session; one that is not open is opened')
    .addOption(
      new Option('-l, --language <language>', 'default: that of the open session, else python').choices(LANGUAGES),
    )
    .option('--idle <duration>', 'it ends after this time without a program, such as 30m', parseDuration)
    .option('--ttl <duration>', 'it ends after this time in any case, such as 8h', parseDuration)
    .option('-m, --memory <size>', 'such as 512m or 2g; a plain number is MB', parseMegabytes)
    .addOption(
      new Option(
        '--on-lost <policy>',
        'when its sandbox is lost: end, or go on with an empty one, or with its files',
      ).choices([...['fail', 'recreate', 'restore']]),
    )
    .option('--keep-calls <number>', 'how many programs .rollback can take back, up to 8', parseKeptCalls)
    .option('-t, --timeout <duration>', 'of each program, such as 30s or 5m', parseDuration)
    .option('-v, --verbose', 'show the log of the worker, where one is started here')
    .addHelpText('after', HELP);
  addTenant(session).action(
    bind<SessionCommandOptions>(async (context, name) => {
      if (name === undefined) throw new CliError('a name is missing (hourglass session --help shows how)', EXIT.USAGE);
      const { runSession } = await import('../session/run-session.js');
      return runSession(context, name);
    }),
  );
  listCommand(session, bind);
  removeCommand(session, bind);
};

function addTenant(command: Command): Command {
  return command
    .option('--workspace-id <id>', 'whose session; default: default')
    .option('--user-id <id>', 'whose session; default: default');
}

function listCommand(session: Command, bind: BindAction): void {
  session
    .command('ls')
    .description('list open sessions')
    .option('-n, --limit <number>', 'at most so many', parseRows, 100)
    .addHelpText('after', LS_HELP)
    .action(
      bind<ListOptions>(async (context) => {
        const { listSessions } = await import('../session/list-sessions.js');
        return listSessions(context);
      }),
    );
}

function removeCommand(session: Command, bind: BindAction): void {
  const remove = session
    .command('rm')
    .description('end sessions; what they hold is gone')
    .argument('<name...>', 'of the sessions, as "ls" shows them')
    .addOption(
      new Option('--wait <duration>', 'longest wait for an end')
        .argParser(parseDuration)
        .default(DEFAULT_WAIT_MS, '1m'),
    )
    .addHelpText('after', RM_HELP);
  addTenant(remove).action(
    bind<RemoveOptions>(async (context, ...names) => {
      const { removeSessions } = await import('../session/remove-sessions.js');
      return removeSessions(
        context,
        names.filter((name) => name !== undefined),
      );
    }),
  );
}
