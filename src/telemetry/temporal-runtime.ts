import { makeTelemetryFilterString, Runtime, type Logger, type LogLevel } from '@temporalio/worker';
import { listenError } from '../config';
import type { Log, LogFields } from './log';
import { HISTOGRAM_BUCKETS } from './metrics';

/** What the SDK warns of and is meant: the queues of one host take activities alone. */
const MEANT: ReadonlySet<string> = new Set(['No workflows registered, not polling for workflow tasks']);

function write(log: Log, level: LogLevel, message: string, meta: LogFields = {}): void {
  switch (MEANT.has(message) ? 'DEBUG' : level) {
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

/** What Temporal's runtime does for a worker process beside its own work. */
export interface TemporalRuntimeOptions {
  /** `address:port` at which Prometheus finds the SDK's metrics and ours under `/metrics`; undefined: nobody measures. */
  readonly metricsAddress?: string | undefined;
}

/**
 * Sends the log of Temporal's SDK into ours, offers metrics, and leaves signals to us. For the entry of a process of our own,
 * before anything else of the SDK: there is one runtime a process, and a library must not take it.
 *
 * Throws ConfigError where the address cannot be listened at.
 */
export function installTemporalRuntime(log: Log, { metricsAddress }: TemporalRuntimeOptions = {}): void {
  const prometheus = metricsAddress && { bindAddress: metricsAddress, histogramBucketOverrides: HISTOGRAM_BUCKETS };
  try {
    Runtime.install({
      logger: bridge(log.child({ source: 'temporal' })),
      shutdownSignals: [],
      telemetryOptions: {
        logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
        ...(prometheus ? { metrics: { prometheus } } : {}),
      },
    });
  } catch (error) {
    if (metricsAddress === undefined) throw error;
    throw listenError('HOURGLASS_METRICS_ADDRESS', metricsAddress, error);
  }
}
