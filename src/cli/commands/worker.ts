import type { HourglassConfig } from '../../config/config';
import type { CommandDefinition } from '../program';

/** `hourglass worker`: runs executions for the configured server until SIGTERM or Ctrl-C. */
export const workerCommand: CommandDefinition = (program, bind) => {
  program
    .command('worker')
    .description('run a worker until SIGTERM or Ctrl-C; running programs may end within the grace time')
    .action(
      bind(async ({ terminal: { out, err }, options, loadConfig }) => {
        const [{ runWorker }, config] = [await import('../serve.js'), await loadConfig()];
        return runWorker(options.json ? withJsonLog(config) : config, (server, worker) => {
          if (options.json) out.line(JSON.stringify({ taskQueue: worker.taskQueue, address: server.address }));
          else err.line(`Worker polls "${worker.taskQueue}" at ${server.address}; Ctrl-C stops it.`);
        });
      }),
    );
};

/** With --json everything that is written is JSON. */
export function withJsonLog(config: HourglassConfig): HourglassConfig {
  return { ...config, log: { ...config.log, format: 'json' } };
}
