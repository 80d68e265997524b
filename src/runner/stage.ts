import type { Readable } from 'node:stream';
import { BOUNDS, HourglassError } from '../contract';
import type { GuestChannel } from './channel';
import type { Program, RunEvents, StagedFile } from './program';
import type { ToGuest } from './protocol';

/** Bytes of one data frame: large enough to be cheap, small enough to keep a KILL from waiting. */
const CHUNK_BYTES = 256 * 1024;

function inputError(file: StagedFile, reason: string, cause?: unknown): HourglassError {
  const message = `input file ${JSON.stringify(file.sandboxPath)} ${reason}`;
  return new HourglassError('INPUT_FILE_ERROR', message, { path: file.sandboxPath }, { cause });
}

/** Sends all a program needs and then START. Rejects with INPUT_FILE_ERROR, SANDBOX_LOST or the source's HourglassError. */
export async function stageProgram(channel: GuestChannel, program: Program, events: RunEvents): Promise<void> {
  await channel.send('RUN', 0, runSpec(program));
  await sendBytes(channel, 'CODE', Buffer.from(program.code));
  await sendBytes(channel, 'INPUT', Buffer.from(program.inputJson));
  if (program.stdin !== undefined) await sendBytes(channel, 'STDIN', Buffer.from(program.stdin));
  for (const [index, file] of program.files.entries()) await sendFile(channel, index + 1, file, events);
  await channel.send('START', 0, {});
}

function runSpec(program: Program): object {
  const named = program.files.filter((file) => file.variableName !== undefined);
  return {
    executionId: program.executionId,
    language: program.language,
    hasStdin: program.stdin !== undefined,
    fileVariables: Object.fromEntries(named.map((file) => [file.variableName ?? '', file.sandboxPath])),
    maxOutputBytes: program.maxOutputBytes,
    maxResultBytes: BOUNDS.resultBytes,
    jsonDepth: BOUNDS.jsonDepth,
    figures: program.saveFigures,
  };
}

async function sendBytes(channel: GuestChannel, type: ToGuest, bytes: Buffer, id = 0): Promise<void> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    await channel.send(type, id, bytes.subarray(start, start + CHUNK_BYTES));
  }
}

async function sendFile(channel: GuestChannel, id: number, file: StagedFile, events: RunEvents): Promise<void> {
  await channel.send('FILE', id, { path: file.sandboxPath, size: file.size });
  const check = file.variableName === undefined ? undefined : textCheck(file);
  let sent = 0;
  for await (const chunk of read(file)) {
    sent += chunk.length;
    if (sent > file.size) break;
    check?.(chunk, true);
    await sendBytes(channel, 'FILE_DATA', chunk, id);
    events.onBytesIn?.(chunk.length);
  }
  if (sent !== file.size) throw inputError(file, 'changed while it was read');
  check?.(Buffer.alloc(0), false);
}

async function* read(file: StagedFile): AsyncGenerator<Buffer> {
  let source: Readable | undefined;
  try {
    source = await file.open();
    for await (const chunk of source as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    throw error instanceof HourglassError ? error : inputError(file, 'could not be read', error);
  } finally {
    source?.destroy();
  }
}

/** Fails at the first byte that makes a file no text: a variable holds text. */
function textCheck(file: StagedFile): (chunk: Buffer, more: boolean) => void {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return (chunk, more) => {
    try {
      decoder.decode(chunk, { stream: more });
    } catch {
      throw inputError(
        file,
        `is not UTF-8 text, as the variable ${file.variableName} needs it; leave out variableName`,
      );
    }
  };
}
