import type { LogLevel } from '@temporalio/worker';
import type { Log } from '../telemetry/log';

type Write = (log: Log, fields: Record<string, unknown>, message: string) => void;

const WRITE: Readonly<Record<LogLevel, Write>> = {
  TRACE: (log, fields, message) => log.debug(fields, message),
  DEBUG: (log, fields, message) => log.debug(fields, message),
  INFO: (log, fields, message) => log.info(fields, message),
  WARN: (log, fields, message) => log.warn(fields, message),
  ERROR: (log, fields, message) => log.error(fields, message),
};

let installed = false;

/**
 * Gives Temporal's runtime our log, and leaves signals to the command: the SDK would stop the worker at Ctrl-C before
 * the command has cancelled what runs. Once a process; later calls change nothing.
 */
export async function installRuntime(log: Log): Promise<void> {
  if (installed) return;
  installed = true;
  const { DefaultLogger, Runtime } = await import('@temporalio/worker');
  Runtime.install({
    logger: new DefaultLogger('INFO', ({ level, message, meta }) => WRITE[level](log, { ...meta }, message)),
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'WARN' }, forward: {} } },
  });
}
