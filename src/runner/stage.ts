import type { Readable } from 'node:stream';
import { BOUNDS, HourglassError } from '../contract';
import type { GuestChannel } from './channel';
import type { Program, RunEvents, StagedFile } from './program';
import { MAX_PAYLOAD_BYTES, type ToGuest } from './protocol';
import { within } from './within';

/** Bytes of one data frame: large enough to be cheap, small enough to keep a KILL from waiting. */
const CHUNK_BYTES = 256 * 1024;
/** A guest that takes nothing for this long is not there any more. */
const STALL_MS = 60_000;

/** Where the parts of a program go. */
interface Stage {
  readonly channel: GuestChannel;
  readonly events: RunEvents;
  readonly signal: AbortSignal;
}

/**
 * Sends all a program needs, up to START, which is the caller's to send.
 *
 * Rejects with HourglassError INPUT_FILE_ERROR, SANDBOX_LOST, VALIDATION_ERROR or what the source of a file failed with where
 * that is a HourglassError, or with the signal's reason. No source stays open.
 */
export async function stageProgram(
  channel: GuestChannel,
  program: Program,
  events: RunEvents,
  signal: AbortSignal,
): Promise<void> {
  const stage: Stage = { channel, events, signal };
  await channel.send('RUN', 0, runSpec(program));
  await sendBytes(stage, 'CODE', Buffer.from(program.code));
  await sendBytes(stage, 'INPUT', Buffer.from(program.inputJson));
  if (program.stdin !== undefined) await sendBytes(stage, 'STDIN', Buffer.from(program.stdin));
  for (const [index, file] of program.files.entries()) await sendFile(stage, index + 1, file);
}

function runSpec(program: Program): Buffer {
  const named = program.files.flatMap(({ variableName, sandboxPath }) =>
    variableName === undefined ? [] : [[variableName, sandboxPath] as const],
  );
  const spec = Buffer.from(
    JSON.stringify({
      executionId: program.executionId,
      language: program.language,
      hasStdin: program.stdin !== undefined,
      fileVariables: Object.fromEntries(named),
      maxOutputBytes: program.maxOutputBytes,
      maxResultBytes: BOUNDS.resultBytes,
      jsonDepth: BOUNDS.jsonDepth,
      figures: program.saveFigures,
      checkpoint: program.checkpoint === undefined ? null : JSON.stringify(program.checkpoint),
      session: program.session ?? null,
    }),
  );
  if (spec.length <= MAX_PAYLOAD_BYTES) return spec;
  const message = `names and paths of the ${named.length} input files with a variableName are too long together`;
  throw new HourglassError('VALIDATION_ERROR', message);
}

async function sendBytes({ channel, signal }: Stage, type: ToGuest, bytes: Buffer, id = 0): Promise<void> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    signal.throwIfAborted();
    const sent = channel.send(type, id, bytes.subarray(start, start + CHUNK_BYTES));
    await within(
      sent,
      STALL_MS,
      () => new HourglassError('SANDBOX_LOST', `the sandbox took no input for ${STALL_MS} ms`),
    );
  }
}

async function sendFile(stage: Stage, id: number, file: StagedFile): Promise<void> {
  stage.signal.throwIfAborted();
  const source = await open(file);
  try {
    stage.signal.throwIfAborted();
    await stage.channel.send('FILE', id, { path: file.sandboxPath, size: file.size });
    await sendContent(stage, id, file, source);
  } finally {
    source.destroy();
  }
}

async function sendContent(stage: Stage, id: number, file: StagedFile, source: Readable): Promise<void> {
  const checkText = file.variableName === undefined ? undefined : textCheck(file, file.variableName);
  let sent = 0;
  for await (const chunk of read(source, file, stage.signal)) {
    sent += chunk.length;
    if (sent > file.size) throw inputError(file, `has more than the ${file.size} bytes it had a moment ago`);
    checkText?.(chunk);
    await sendBytes(stage, 'FILE_DATA', chunk, id);
    stage.events.onBytesIn?.(chunk.length);
  }
  if (sent < file.size) throw inputError(file, `has ${sent} bytes, a moment ago it had ${file.size}`);
  checkText?.();
}

async function open(file: StagedFile): Promise<Readable> {
  try {
    return await file.open();
  } catch (error) {
    throw unreadable(file, error);
  }
}

async function* read(source: Readable, file: StagedFile, signal: AbortSignal): AsyncGenerator<Buffer> {
  // A source that hangs must not outlast the run.
  const stop = (): void => void source.destroy(signal.reason as Error);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    throw signal.aborted ? signal.reason : unreadable(file, error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Takes the bytes of a file, and nothing at their end; fails at the first that makes it no text. */
function textCheck(file: StagedFile, variableName: string): (chunk?: Buffer) => void {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return (chunk) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw inputError(file, `is not UTF-8 text, as its variableName ${variableName} needs it; leave variableName out`);
    }
  };
}

function unreadable(file: StagedFile, cause: unknown): HourglassError {
  return cause instanceof HourglassError ? cause : inputError(file, 'could not be read', cause);
}

function inputError(file: StagedFile, reason: string, cause?: unknown): HourglassError {
  const message = `input file ${JSON.stringify(file.sandboxPath)} ${reason}`;
  return new HourglassError('INPUT_FILE_ERROR', message, { path: file.sandboxPath }, { cause });
}
