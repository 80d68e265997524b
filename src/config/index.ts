export type { HourglassConfig } from './config';
export { readEnvironment, type Environment } from './env';
export { ConfigError, type ConfigProblem, type Source } from './errors';
export { listenError } from './listen-error';
export { inspectConfig, loadConfig, type ConfigReport, type ConfigSources } from './load';
export type { Setting } from './setting';
