import { Command, CommanderError } from 'commander';
import type { HourglassConfig } from '../config/config';
import { packageRoot } from '../../infra/setup/root.js';
import type { CommandAction, CommandContext, GlobalOptions } from './command';
import { configCommand } from './commands/config';
import { devCommand } from './commands/dev';
import { doctorCommand } from './commands/doctor';
import { batchCommand } from './commands/batch';
import { cancelCommand } from './commands/cancel';
import { cleanCommand } from './commands/clean';
import { drainCommand } from './commands/drain';
import { hostsCommand } from './commands/hosts';
import { lsCommand } from './commands/ls';
import { runCommand } from './commands/run';
import { sessionCommand } from './commands/session';
import { setupCommand } from './commands/setup';
import { workerCommand } from './commands/worker';
import { CliError, describeFailure } from './errors';
import { EXIT, exitCodeHelp } from './exit-codes';
import { neutralise } from './output-filter';
import type { Terminal } from './terminal';

/** Adds one command to the program; `bind` makes an action of its handler. */
export type CommandDefinition = (program: Command, bind: BindAction) => void;
/** Makes an action of a handler. */
export type BindAction = <Options extends GlobalOptions>(
  action: CommandAction<Options>,
) => (...args: unknown[]) => Promise<void>;

const COMMANDS: readonly CommandDefinition[] = [
  runCommand,
  batchCommand,
  sessionCommand,
  lsCommand,
  cancelCommand,
  hostsCommand,
  drainCommand,
  devCommand,
  cleanCommand,
  doctorCommand,
  workerCommand,
  setupCommand,
  configCommand,
];

/** Runs one command line (without node and script) and resolves with the exit code. Never rejects. */
export async function execute(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = EXIT.OK;
  const json = argv.includes('--json');
  try {
    requireCurrentFolder();
    const program = createProgram(terminal, (code) => (exitCode = code));
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return usage(error, terminal, json);
    return report(error, terminal, json);
  }
}

/** What is relative has nothing to be relative to where the current folder was removed. Throws CliError. */
function requireCurrentFolder(): void {
  try {
    process.cwd();
  } catch (error) {
    throw new CliError('the current folder is gone: change to one that is there', EXIT.NO_INPUT, { cause: error });
  }
}

function createProgram(terminal: Terminal, finish: (exitCode: number) => void): Command {
  const program = new Command('hourglass')
    .description('Durable, sandboxed code execution for Temporal.')
    .version(versionOfPackage(), '-V, --version')
    .showHelpAfterError('(hourglass --help shows what is there)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out.line(text.trimEnd()),
      writeErr: (text) => terminal.err.line(text.trimEnd()),
      getOutHasColors: () => terminal.out.colors.isColorSupported,
      getErrHasColors: () => terminal.err.colors.isColorSupported,
    })
    .addHelpText('after', `\n${exitCodeHelp()}`);
  const bind: BindAction =
    <Options extends GlobalOptions>(action: CommandAction<Options>) =>
    async (...args) => {
      finish(await action(...contextOf<Options>(args, terminal)));
    };
  for (const define of COMMANDS) define(program, bind);
  for (const command of program.commands.flatMap((child) => [child, ...child.commands])) addGlobalOptions(command);
  return program;
}

function addGlobalOptions(command: Command): void {
  command
    .option('--json', 'machine-readable output on stdout')
    .option('-c, --config <file>', 'configuration file (default: HOURGLASS_CONFIG, else ./hourglass.json)');
}

/** Commander calls an action with the arguments, the options, and the command. */
function contextOf<Options extends GlobalOptions>(
  args: unknown[],
  terminal: Terminal,
): [CommandContext<Options>, ...(string | undefined)[]] {
  // Those of the command that it belongs to, too: they may stand before its name.
  const options = (args.at(-1) as Command).optsWithGlobals<Options>();
  // A repeatable argument comes as one array.
  const operands = args.slice(0, -2).flat() as (string | undefined)[];
  return [{ terminal, options, loadConfig: () => configuration(options) }, ...operands];
}

async function configuration({ config: file }: GlobalOptions): Promise<HourglassConfig> {
  const { loadConfig } = await import('../config/index.js');
  return loadConfig({ file });
}

function versionOfPackage(): string {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- one small file, needed at once
  return (require(`${packageRoot()}/package.json`) as { version: string }).version;
}

/** Commander has told people already. */
function usage({ exitCode, message }: CommanderError, { out }: Terminal, json: boolean): number {
  if (exitCode === 0) return EXIT.OK;
  const failure = { code: 'USAGE', message: message.replace(/^error: /, ''), retryable: false };
  if (json) out.line(JSON.stringify({ failure }));
  return EXIT.USAGE;
}

function report(error: unknown, { out, err }: Terminal, json: boolean): number {
  const { message, exitCode, code, retryable, details, stack, reason } = describeFailure(error);
  const failure = { code, message: reason ?? message, retryable, ...(details ? { details } : {}) };
  if (json) out.line(JSON.stringify({ failure }));
  const told = exitCode === EXIT.INTERNAL ? (stack ?? message) : message;
  err.line(`${err.colors.red(`hourglass: ${code}`)}: ${neutralise(told)}`);
  return exitCode;
}
