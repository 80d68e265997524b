import { EXIT } from '../exit-codes';
import type { CommandDefinition } from '../program';
import type { GlobalOptions } from '../command';

interface SetupOptions extends GlobalOptions {
  readonly only?: string[];
  readonly gvisor?: boolean;
}

/** `hourglass setup`: brings the engine, the sandbox image and the Temporal CLI. */
export const setupCommand: CommandDefinition = (program, bind) => {
  program
    .command('setup')
    .description('bring what Hourglass needs: Docker engine, sandbox image, Temporal CLI')
    .option('--only <steps...>', 'these steps and what they need')
    .option('--gvisor', 'also the runtime runsc, a second wall around sandboxes (see HOURGLASS_RUNTIME)')
    .action(
      bind<SetupOptions>(async ({ terminal, options, loadConfig }) => {
        const { prepare } = await import('../prepare.js');
        const { usualSteps } = await import('../../../infra/setup/index.js');
        const steps = options.only ?? usualSteps();
        const only = options.gvisor === true ? [...steps, 'gvisor'] : steps;
        const found = await prepare(await loadConfig(), only, options.json ? process.stderr : process.stdout);
        if (options.json) terminal.out.line(JSON.stringify(found));
        return EXIT.OK;
      }),
    );
};
