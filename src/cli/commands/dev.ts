import { resolve } from 'node:path';
import type { GlobalOptions } from '../command';
import type { CommandDefinition } from '../program';
import type { ServerInUse } from '../temporal/use-server';
import type { Channel } from '../terminal';
import { withJsonLog } from './worker';

interface DevOptions extends GlobalOptions {
  readonly db?: string;
}

/** `hourglass dev`: a Temporal server where none is there, and a worker, until Ctrl-C. */
export const devCommand: CommandDefinition = (program, bind) => {
  program
    .command('dev')
    .description('start a Temporal server, if none is there, and a worker; Ctrl-C stops all it started')
    .option('--db <file>', 'keep the data of the server in this file (default: in memory)')
    .action(
      bind<DevOptions>(async ({ terminal: { out, err }, options, loadConfig }) => {
        const [{ runDev }, config] = [await import('../serve.js'), await loadConfig()];
        const dbFile = options.db === undefined ? undefined : resolve(options.db);
        return runDev(options.json ? withJsonLog(config) : config, { dbFile, err }, (server, { taskQueue }) => {
          const facts = { ...place(server), taskQueue, workspace: config.workspace.dir };
          const isWhereAsked = server.address === config.temporal.address;
          if (options.json) out.line(JSON.stringify(facts));
          else welcome(facts, isWhereAsked ? '' : `TEMPORAL_ADDRESS=${server.address} `, out);
        });
      }),
    );
};

interface Place {
  readonly address: string;
  readonly uiUrl: string | undefined;
  readonly startedServer: boolean;
}

function place({ address, uiUrl, started }: ServerInUse): Place {
  return { address, uiUrl, startedServer: started };
}

/** `settings`: what a command in another terminal needs to find the server. */
function welcome(facts: Place & { taskQueue: string; workspace: string }, settings: string, out: Channel): void {
  const { bold, cyan, dim } = out.colors;
  const origin = facts.startedServer ? 'started here' : 'was running';
  out.line(`${bold('Temporal')}    ${facts.address} ${dim(`(${origin})`)}`);
  out.line(`${bold('UI')}          ${cyan(facts.uiUrl ?? 'none')}`);
  out.line(`${bold('Task queue')}  ${facts.taskQueue}`);
  out.line(`${bold('Workspace')}   ${facts.workspace}`);
  const command = `${settings}hourglass run FILE`;
  out.line(dim(`\nReady: try  ${command}  in another terminal. Ctrl-C stops all that was started here.`));
}
