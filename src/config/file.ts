import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError } from './errors';

/** Names and values of a configuration file, and the folder its relative paths start from. */
export interface ConfigFile {
  readonly path: string;
  readonly baseDir: string;
  readonly values: Readonly<Record<string, unknown>>;
}

const DEFAULT_FILE = 'hourglass.json';

/**
 * Reads the configuration file: the one that is named, else `hourglass.json` in the current folder if it is there.
 *
 * Throws ConfigError where a named file cannot be read, or where the file is not a JSON object.
 */
export function readConfigFile(named: string | undefined, cwd: string): ConfigFile | undefined {
  const path = resolve(cwd, named ?? DEFAULT_FILE);
  if (named === undefined && !existsSync(path)) return undefined;
  return { path, baseDir: dirname(path), values: parseObject(path) };
}

function parseObject(path: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refusal(path, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw refusal(path, 'must hold one JSON object of variable names and values');
  }
  return parsed as Record<string, unknown>;
}

function refusal(path: string, rule: string): ConfigError {
  return new ConfigError([{ name: 'HOURGLASS_CONFIG', source: 'file', value: JSON.stringify(path), rule }]);
}
