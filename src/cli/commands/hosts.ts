import type { CommandDefinition } from '../program';

const HELP = `
Asked are the hosts whose workers polled the task queue in the last minutes; one that does not answer within 5 s is shown as such.
States: ready; draining: it takes no new work, and something of it runs; drained: nothing runs any more; no answer.
Exit code 69 where no server answers.`;

/** `hourglass hosts`: who is there, and how much room each has. */
export const hostsCommand: CommandDefinition = (program, bind) => {
  program
    .command('hosts')
    .description('list the hosts: slots, sandboxes, sessions, whether they take new work')
    .addHelpText('after', HELP)
    .action(
      bind(async (context) => {
        const { listHosts } = await import('../hosts/hosts.js');
        return listHosts(context);
      }),
    );
};
