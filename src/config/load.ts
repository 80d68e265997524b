import type { HourglassConfig } from './config';
import { findConflicts } from './conflicts';
import { readEnvironment, type Environment } from './env';
import { ConfigError, type ConfigProblem, type Source } from './errors';
import { readConfigFile, type ConfigFile } from './file';
import { nearest } from './nearest';
import { placesOf } from './places';
import type { Setting } from './setting';
import type { ConfigField, DefaultContext, DerivedDefault, Variable } from './variable';
import { VARIABLES } from './variables';

/** Where configuration is read from; everything has a default, so tests can replace it. */
export interface ConfigSources {
  readonly env?: Environment;
  /** Configuration file; default: HOURGLASS_CONFIG, else `hourglass.json` in the current folder if it is there. */
  readonly file?: string | undefined;
  readonly cwd?: string;
  readonly terminal?: boolean;
}

/** The configuration with the origin of each value. */
export interface ConfigReport {
  readonly config: HourglassConfig;
  readonly settings: readonly Setting[];
  /** The file that was read. */
  readonly file: string | undefined;
  /** `HOURGLASS_*` variables of the environment that mean nothing. */
  readonly warnings: readonly string[];
}

const HIDDEN = '(hidden)';
const VALUE_SHOWN = 80;
const FILE_VARIABLE = 'HOURGLASS_CONFIG';
// The compiler has checked each entry against its own field; from here on a value is just a value.
const TABLE = Object.entries(VARIABLES) as [ConfigField, Variable<unknown>][];
const NAMES = TABLE.map(([, variable]) => variable.name);

/**
 * The configuration: environment over file over default.
 *
 * Throws ConfigError that lists everything that is wrong.
 */
export function loadConfig(sources: ConfigSources = {}): HourglassConfig {
  return inspectConfig(sources).config;
}

/** As `loadConfig`, with the origin of each value. */
export function inspectConfig(sources: ConfigSources = {}): ConfigReport {
  const env = sources.env ?? readEnvironment();
  const cwd = sources.cwd ?? process.cwd();
  const file = readConfigFile(sources.file ?? (env[FILE_VARIABLE] || undefined), cwd);
  const given = gather(env, cwd, file, placesOf(env).home);
  const resolved = resolveAll(given, {
    places: placesOf(env),
    terminal: sources.terminal ?? process.stderr.isTTY,
    isSet: (name) => given.values.has(name),
  });
  const problems = [...given.problems, ...findUnknownKeys(file)];
  if (problems.length === 0) problems.push(...findConflicts(resolved.config, resolved.settings));
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...resolved, file: file?.path, warnings: findUnknownVariables(env) };
}

interface Given {
  readonly values: ReadonlyMap<string, { readonly value: unknown; readonly source: Source }>;
  readonly problems: readonly ConfigProblem[];
}

/** Parses what environment and file give. An empty variable counts as unset; zero is a value. */
function gather(env: Environment, cwd: string, file: ConfigFile | undefined, home: string): Given {
  const values = new Map<string, { value: unknown; source: Source }>();
  const problems: ConfigProblem[] = [];
  for (const [, variable] of TABLE) {
    const fromEnv = env[variable.name]?.trim() || undefined;
    const raw = fromEnv ?? file?.values[variable.name] ?? undefined;
    if (raw === undefined) continue;
    const source = fromEnv === undefined ? 'file' : 'env';
    const baseDir = source === 'file' ? (file?.baseDir ?? cwd) : cwd;
    const value = variable.parser.parse(raw, { home, baseDir });
    if (value === undefined) problems.push(problem(variable, source, raw));
    else values.set(variable.name, { value, source });
  }
  return { values, problems };
}

function problem(variable: Variable<unknown>, source: Source, raw: unknown): ConfigProblem {
  const quoted = JSON.stringify(raw) ?? String(raw);
  const value = variable.secret ? HIDDEN : quoted.slice(0, VALUE_SHOWN);
  return { name: variable.name, source, value, rule: `must be ${variable.parser.rule}` };
}

function resolveAll(given: Given, context: DefaultContext): { config: HourglassConfig; settings: Setting[] } {
  const config: Record<string, unknown> = {};
  const settings = TABLE.map(([field, variable]) => {
    const found = given.values.get(variable.name);
    const value = found === undefined ? defaultOf(variable, context) : found.value;
    setField(config, field.split('.'), value);
    return settingOf(field, variable, value, found?.source ?? 'default');
  });
  return { config: config as unknown as HourglassConfig, settings };
}

function defaultOf(variable: Variable<unknown>, context: DefaultContext): unknown {
  if (typeof variable.default !== 'function') return variable.default;
  return (variable.default as DerivedDefault<unknown>)(context);
}

function setField(target: Record<string, unknown>, [head = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) target[head] = value;
  else setField((target[head] ??= {}) as Record<string, unknown>, rest, value);
}

function settingOf(field: ConfigField, variable: Variable<unknown>, value: unknown, source: Source): Setting {
  const { name, unit, description, secret, show, parser } = variable;
  const shown = value === undefined ? null : secret ? HIDDEN : (show?.(value) ?? value);
  return { field, name, source, value: shown, ...(unit === undefined ? {} : { unit }), rule: parser.rule, description };
}

function findUnknownKeys(file: ConfigFile | undefined): ConfigProblem[] {
  return Object.keys(file?.values ?? {})
    .filter((key) => !NAMES.includes(key))
    .map((key) => ({ name: key, source: 'file', value: HIDDEN, rule: `is not a setting${suggestion(key)}` }));
}

function findUnknownVariables(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('HOURGLASS_') && name !== FILE_VARIABLE && !NAMES.includes(name))
    .map((name) => `${name} is not a setting${suggestion(name)}`);
}

function suggestion(name: string): string {
  const close = nearest(name, NAMES);
  return close === undefined ? '' : `; did you mean ${close}?`;
}
