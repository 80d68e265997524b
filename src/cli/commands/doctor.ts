import type { CommandDefinition } from '../program';

const HELP = `
Each check passes, warns or fails, with what to do about it; the limits are measured in sandboxes like those of runs.
Exit code 1: a check failed, and a worker on this host may break its promises. Nothing is changed or left behind.`;

/** `hourglass doctor`: checks this host before programs of others run on it. */
export const doctorCommand: CommandDefinition = (program, bind) => {
  program
    .command('doctor')
    .description('check this host: engine, image, limits that take hold, folders, Temporal')
    .addHelpText('after', HELP)
    .action(
      bind(async (context) => {
        const { runDoctor } = await import('../doctor/run-doctor.js');
        return runDoctor(context);
      }),
    );
};
