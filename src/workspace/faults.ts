import type { Stats } from 'node:fs';
import { getSystemErrorMap } from 'node:util';
import { HourglassError, type FailureDetails } from '../contract';
import { OutputRefused } from './workspace';

type Kind = Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isFIFO' | 'isSocket'>;

/** `ENOENT` and the like; undefined for errors that are not the system's. */
export function errnoOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** What an entry of a directory is, in words. */
export function describeKind(entry: Kind): string {
  if (entry.isSymbolicLink()) return 'a symbolic link';
  if (entry.isDirectory()) return 'a directory';
  if (entry.isFIFO()) return 'a named pipe';
  if (entry.isSocket()) return 'a socket';
  return entry.isFile() ? 'a regular file' : 'a device';
}

/** An input file that cannot be used; `reason` ends the sentence that the path begins. */
export function inputFault(path: string, reason: string, details: FailureDetails = {}): HourglassError {
  return new HourglassError('INPUT_FILE_ERROR', `input file ${JSON.stringify(path)} ${reason}`, { path, ...details });
}

/** A fault of the machine the workspace lies on. Its message names no path of the host. */
export function platformFault(error: unknown, doing: string, path?: string): HourglassError {
  const errno = (error as NodeJS.ErrnoException | undefined)?.errno;
  const [name, meaning] = getSystemErrorMap().get(errno ?? 0) ?? [errnoOf(error) ?? 'unknown error', undefined];
  const cause = meaning === undefined ? name : `${meaning} (${name})`;
  const details = path === undefined ? {} : { path };
  return new HourglassError('WORKSPACE_ERROR', `workspace: ${doing} failed: ${cause}`, details, { cause: error });
}

/** Leaves errors of ours as they are and wraps the system's. */
export function asPlatformFault(error: unknown, doing: string, path?: string): Error {
  if (error instanceof HourglassError || error instanceof OutputRefused) return error;
  return platformFault(error, doing, path);
}
