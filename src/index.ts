export { createActivities, type Activities } from '../activities';
export {
  createHourglassClient,
  DEFAULT_TASK_QUEUE,
  ExecutionCancelled,
  type ExecutionHandle,
  type HourglassClient,
  type HourglassClientOptions,
  type HourglassSession,
  type RunOptions,
  type SessionFileAccess,
  type SessionRequest,
  type StartOptions,
} from './client';
export { loadConfig, ConfigError, type HourglassConfig } from './config';
export * from './contract';
export { createLog, type Log, type LogFields, type LogOptions } from './telemetry/log';
export { HISTOGRAM_BUCKETS } from './telemetry/metrics';
export { createWorker, type CreateWorkerOptions, type HourglassWorker } from './worker';
