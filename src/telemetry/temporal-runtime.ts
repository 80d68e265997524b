import { makeTelemetryFilterString, Runtime, type Logger, type LogLevel } from '@temporalio/worker';
import type { Log, LogFields } from './log';

function write(log: Log, level: LogLevel, message: string, meta: LogFields = {}): void {
  switch (level) {
    case 'ERROR':
      return log.error(meta, message);
    case 'WARN':
      return log.warn(meta, message);
    case 'INFO':
      return log.info(meta, message);
    case 'DEBUG':
    case 'TRACE':
      return log.debug(meta, message);
  }
}

function bridge(log: Log): Logger {
  const at =
    (level: LogLevel) =>
    (message: string, meta?: LogFields): void =>
      write(log, level, message, meta);
  return {
    log: (level, message, meta) => write(log, level, message, meta),
    trace: at('TRACE'),
    debug: at('DEBUG'),
    info: at('INFO'),
    warn: at('WARN'),
    error: at('ERROR'),
  };
}

/**
 * Sends the log of Temporal's SDK into ours and leaves signals to us. For the entry of a process of our own, before anything
 * else of the SDK: there is one runtime a process, and a library must not take it.
 */
export function installTemporalRuntime(log: Log): void {
  Runtime.install({
    logger: bridge(log.child({ source: 'temporal' })),
    shutdownSignals: [],
    telemetryOptions: { logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) } },
  });
}
