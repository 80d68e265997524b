import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { describePathFault, stripSandboxPrefix } from '../../contract';
import { CliError } from '../errors';
import { EXIT } from '../exit-codes';

/** A local file on its way into the sandbox. */
export interface LocalFile {
  readonly localPath: string;
  /** Relative to /sandbox. */
  readonly sandboxPath: string;
}

/** The text of a local UTF-8 file, or of our own stdin for `-`. Rejects with CliError (66). */
export async function readText(path: string): Promise<string> {
  if (path === '-') return readAll(process.stdin);
  const bytes = attempt(path, () => readFileSync(path));
  return attempt(path, () => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

/** The JSON object in a local file. Rejects with CliError (66). */
export async function readJsonObject(path: string): Promise<Record<string, unknown>> {
  const text = await readText(path);
  const value = attempt(path, () => JSON.parse(text) as unknown);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new CliError(`${path} must hold one JSON object`, EXIT.NO_INPUT);
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    const name = path === '-' ? 'stdin' : path;
    throw new CliError(
      `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      EXIT.NO_INPUT,
    );
  }
}

/**
 * What `path` or `path:sandboxPath` means. Without a sandbox path a file below the current folder keeps its relative
 * path, another one its name. A file whose own name has a colon is found, too.
 */
export function parseLocalFile(argument: string, cwd = process.cwd()): LocalFile {
  const at = argument.lastIndexOf(':');
  const split = at > 0 && !existsSync(resolve(cwd, argument));
  const path = split ? argument.slice(0, at) : argument;
  const localPath = resolve(cwd, path);
  const stat = attempt(path, () => statSync(localPath));
  if (!stat.isFile()) throw new CliError(`${path} is not a regular file`, EXIT.NO_INPUT);
  return { localPath, sandboxPath: split ? checkedPath(argument, at) : defaultSandboxPath(localPath, cwd) };
}

function checkedPath(argument: string, at: number): string {
  const sandboxPath = argument.slice(at + 1);
  const fault = describePathFault(stripSandboxPrefix(sandboxPath));
  if (fault === undefined) return sandboxPath;
  throw new CliError(`--in ${argument}: the path in the sandbox, "${sandboxPath}", ${fault}`, EXIT.USAGE);
}

function defaultSandboxPath(localPath: string, cwd: string): string {
  const path = relative(cwd, localPath);
  const isBelow = !isAbsolute(path) && path.split(sep)[0] !== '..';
  return isBelow ? path.split(sep).join('/') : basename(localPath);
}
