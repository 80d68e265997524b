import { Option } from 'commander';
// By itself: who asks for help does not wait for the contract's schemas.
import { LANGUAGES } from '../../contract/languages';
import type { CommandDefinition } from '../program';
import type { RunOptions } from '../run/options';
import { collect, collectInput, parseBytes, parseDecimal, parseDuration, parseMegabytes } from '../run/quantities';

const EXAMPLES = `
Examples:
  hourglass run report.py --in sales.csv --out 'charts/*.png' --out-dir .
  hourglass run convert.ts --input rate=1.08 --input 'names=["a","b"]' --timeout 2m --memory 1g
  echo 'echo hello' | hourglass run - --language shell
  hourglass run --request request.json --json

stdout carries what the program prints (with --json: the ExecutionResult); everything else goes to stderr.
The program's own exit code is passed on; hourglass --help lists the others.`;

/** `hourglass run`: one program, from a local file to its result. */
export const runCommand: CommandDefinition = (program, bind) => {
  program
    .command('run')
    .description('run one program in a sandbox, under a Temporal workflow')
    .argument('[file]', 'the program; - reads it from stdin')
    .addOption(new Option('-l, --language <language>', 'default: by the extension of the file').choices(LANGUAGES))
    .option('-i, --input <name=value>', 'an input; JSON, or text where it is not JSON (repeatable)', collectInput)
    .option('--inputs <file>', 'a JSON object of inputs')
    .option('--in <path[:sandboxPath]>', 'a local file that the program finds in its folder (repeatable)', collect)
    .option('-o, --out <glob>', 'files to save into the workspace (repeatable)', collect)
    .option('--out-dir <dir>', 'also copy the saved files into this folder')
    .option('--stdin <file>', "the program's stdin; - passes on our own")
    .option('--stdin-text <text>', "the program's stdin as text")
    .option('-t, --timeout <duration>', 'such as 30s or 5m; a plain number is ms', parseDuration)
    .option('-m, --memory <size>', 'such as 512m or 2g; a plain number is MB', parseMegabytes)
    .option('--disk <size>', 'size of its folder, such as 1g; a plain number is MB', parseMegabytes)
    .option('--cpus <cores>', 'processor share, such as 0.5', parseDecimal)
    .option('--pids <number>', 'processes and threads', parseDecimal)
    .option('--max-output <size>', 'kept of stdout and of stderr, each; such as 64k', parseBytes)
    .option('--label <text>', 'a few words for the Temporal UI')
    .option('--workspace-id <id>', 'whose files and sandboxes; default: default')
    .option('--user-id <id>', 'whose files and sandboxes; default: default')
    .option('--no-figures', 'do not save figures left open in matplotlib')
    .option('--request <file>', 'a whole ExecutionRequest as JSON; other options go on top')
    .option('-v, --verbose', 'show the log of the worker, where one is started here')
    .addHelpText('after', EXAMPLES)
    .action(
      bind<RunOptions>(async (context, file) => {
        const { runProgram } = await import('../run/run-program.js');
        return runProgram(context, file);
      }),
    );
};
