import { z } from 'zod';
import { HourglassError } from '../contract';
import { safeText } from '../telemetry/safe-text';
import { parseJsonPayload } from './payload';
import { PROTOCOL_VERSION, type GuestFrame } from './protocol';

const readySchema = z.object({
  protocol: z.number().int(),
  language: z.string().max(32),
  /** Modules that were imported in advance; fewer than asked for where some could not be. */
  preload: z.array(z.string().max(128)).max(32),
  pid: z.number().int(),
  /** In answer to NEXT with a rollback: whether the state is now that of the call that was named. */
  rolledBack: z.boolean().optional(),
  /** With it: processes that were left running, for which nothing was rolled back. */
  background: z.number().int().nonnegative().optional(),
});

/** What a guest says of itself when it is ready. */
export type GuestReady = z.infer<typeof readySchema>;

const fatalSchema = z.object({ message: z.string() });
const FATAL_LENGTH = 500;

/** What a guest says before it gives up, safe for a log. Throws HourglassError PROTOCOL_ERROR for a frame that is not FATAL's. */
export function fatalMessage(frame: GuestFrame): string {
  return safeText(parseJsonPayload(fatalSchema, frame).message, FATAL_LENGTH);
}

/** The first frame of a guest, which must be READY; throws HourglassError ENGINE_UNAVAILABLE or PROTOCOL_ERROR. */
export function readReady(frame: GuestFrame | undefined, cause: unknown): GuestReady {
  if (frame === undefined) throw notReady('the sandbox ended before it was ready', cause);
  if (frame.type === 'FATAL') throw notReady(`the sandbox gave up: ${fatalMessage(frame)}`);
  if (frame.type !== 'READY') throw notReady(`the sandbox sent ${frame.type} before it was ready`);
  const ready = parseJsonPayload(readySchema, frame);
  if (ready.protocol === PROTOCOL_VERSION) return ready;
  throw notReady(`the image speaks protocol ${ready.protocol}, this worker ${PROTOCOL_VERSION}: run "hourglass setup"`);
}

function notReady(message: string, cause?: unknown): HourglassError {
  return new HourglassError('ENGINE_UNAVAILABLE', message, {}, { cause });
}
