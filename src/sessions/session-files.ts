import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import {
  HourglassError,
  SESSION_BOUNDS,
  type Download,
  type DownloadedFile,
  type SessionFiles,
  type Upload,
} from '../contract';
import { jsonBytes } from '../execution/bounded-text';
import { programOf } from '../execution/prepare-program';
import { watchSandbox } from '../execution/watch-sandbox';
import { FileFetcher, FileRefused, listFiles, type Program, type StagedFile } from '../runner';
import { keepFiles } from './keep-files';
import type { Caller, Ended } from './live-parts';
import type { LiveSession } from './live-session';

/** Of a listing as JSON: what Temporal takes without a warning. */
const LISTING_BYTES = 200 * 1024;
/** Time for a program that does nothing. */
const NOTHING_MS = 30_000;

/** Puts one file into /sandbox, in the place of one of that name. Requires: within `session.exclusive`. */
export async function uploadFile({ path, contentBase64 }: Upload, session: LiveSession, caller: Caller): Promise<void> {
  const bytes = Buffer.from(contentBase64, 'base64');
  const file: StagedFile = {
    sandboxPath: path,
    size: bytes.length,
    open: () => Promise.resolve(Readable.from(bytes.length > 0 ? [bytes] : [])),
  };
  const ended = await runNothing(session, caller, [file]);
  await session.read(caller, () => keepFiles(session, ended, caller.attempt));
}

/**
 * Reads one file of /sandbox. Requires: within `session.exclusive`.
 *
 * Rejects with HourglassError INPUT_FILE_ERROR where there is none, or one that is too large to travel within a call.
 */
export async function downloadFile({ path }: Download, session: LiveSession, caller: Caller): Promise<DownloadedFile> {
  const bytes = await reading(session, caller, async () => {
    try {
      return await buffer(new FileFetcher(session.channel).fetch('sandbox', path, SESSION_BOUNDS.fileBytes));
    } catch (error) {
      if (!(error instanceof FileRefused)) throw error;
      const message = `file ${JSON.stringify(path)} of the session: ${describe(error)}`;
      throw new HourglassError('INPUT_FILE_ERROR', message, { path });
    }
  });
  return { path, size: bytes.length, contentBase64: bytes.toString('base64') };
}

/** The regular files below /sandbox. Requires: within `session.exclusive`. */
export async function listSession(session: LiveSession, caller: Caller): Promise<SessionFiles> {
  const list = () => listFiles(session.channel, 'sandbox', SESSION_BOUNDS.listedFiles);
  const { files, truncated } = await reading(session, caller, list);
  const kept = files.slice(0, fitting(files));
  return { files: kept, truncated: truncated || kept.length < files.length };
}

/** How many files a listing can name within one payload. */
function fitting(files: SessionFiles['files']): number {
  let room = LISTING_BYTES;
  const index = files.findIndex((file) => (room -= jsonBytes(file) + 1) < 0);
  return index < 0 ? files.length : index;
}

/** The guest answers for files after a program only: a new session runs one that does nothing. */
async function reading<T>(session: LiveSession, caller: Caller, read: () => Promise<T>): Promise<T> {
  if (session.isNew) await runNothing(session, caller, []);
  return session.read(caller, async () => {
    const watch = watchSandbox(session, caller.attempt.signal, { staysAlive: true });
    try {
      return await watch.during(read());
    } finally {
      watch.stop();
    }
  });
}

async function runNothing(session: LiveSession, caller: Caller, files: readonly StagedFile[]): Promise<Ended> {
  const { language, limits } = session.hold;
  const { executionId } = caller.attempt.progress;
  const nothing = programOf({ language }, executionId, { ...limits, timeout: NOTHING_MS });
  const prepare = (): Promise<Program> => Promise.resolve({ ...nothing, files });
  const ended = await session.program(caller, { prepare, resume: () => nothing });
  const { error } = ended.outcome;
  if (error === undefined) return ended;
  throw new HourglassError('INPUT_FILE_ERROR', `the session did not take the file: ${error.message}`);
}

function describe({ code, message }: FileRefused): string {
  if (code === 'TOO_LARGE') return `has more than ${SESSION_BOUNDS.fileBytes} bytes, name it in outputFiles of a call`;
  return code === 'ENOENT' ? 'there is none' : message;
}
