import { Option } from 'commander';
import type { BatchOptions } from '../batch/options';
import type { CommandDefinition } from '../program';
import { parseBytes, parseWhole } from '../run/quantities';

const HELP = `
Each line of the file is one JSON object:
  {"id": "a1", "request": {"language": "python", "code": "6 * 7"}}
An entry of inputFiles may carry "content" or "contentBase64" instead of naming a workspace file, and workspacePath of an
entry of outputFiles may be left out. Each line gets one line in the results file, as soon as it is there:
  {"id": "a1", "result": {...}, "files": {"out.csv": {"size": 12, "sha256": "..."}}}
  {"id": "a2", "failure": {"code": "VALIDATION_ERROR", "message": "...", "retryable": false}}
Lines of one sessionId (and tenant) run in the order of the file, in that session, which the first of them opens; it is closed
at the end, unless it was there before.
The same command again answers what has no result line yet.`;

/** `hourglass batch`: a file of requests, answered line by line. */
export const batchCommand: CommandDefinition = (program, bind) => {
  program
    .command('batch')
    .description('run a file of requests (JSON lines), resumable')
    .argument('<requests>', 'the file; one request a line')
    .requiredOption('-o, --output <file>', 'where the result lines go; what is there is kept and not run again')
    .option('-n, --concurrency <number>', 'lines that run at the same time; default: the slots of a worker', parseWhole)
    .addOption(
      new Option('--inline-files <size>', 'return files up to this size inside their result line, such as 64k')
        .argParser(parseBytes)
        .default(0, 'none'),
    )
    .option('--direct', 'through the engine alone, without Temporal')
    .option('--keep-sessions', 'leave the sessions open that the lines have opened')
    .option('-v, --verbose', 'show the log of the worker, where one is started here')
    .addHelpText('after', HELP)
    .action(
      bind<BatchOptions>(async (context, requests = '') => {
        const { runBatchFile } = await import('../batch/run-batch.js');
        return runBatchFile(context, requests);
      }),
    );
};
