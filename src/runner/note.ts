import { z } from 'zod';
import { BOUNDS, checkpointSchema, type JsonValue, type Progress } from '../contract';
import { safeText } from '../telemetry/safe-text';
import { parseJson } from './result-json';

/** What a program says of itself while it runs. */
export type Note = { readonly checkpoint: JsonValue } | { readonly progress: Progress };

const noteSchema = z.union([
  z.strictObject({ checkpoint: checkpointSchema }),
  z.strictObject({ progress: z.tuple([z.number().min(0).max(1), z.string().nullable()]) }),
]);

/** Reads a note; undefined for what is none: the program may write what it likes, and loses its own notes alone. */
export function readNote(bytes: Buffer): Note | undefined {
  if (bytes.length > BOUNDS.noteBytes) return undefined;
  const { data } = noteSchema.safeParse(parseJson(bytes.toString('utf8')));
  if (data === undefined || 'checkpoint' in data) return data;
  const [fraction, message] = data.progress;
  return { progress: { fraction, ...(message === null ? {} : { message: safeText(message, BOUNDS.progressLength) }) } };
}
