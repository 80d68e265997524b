import { z } from 'zod';
import { HourglassError } from '../contract';
import { violation } from './frames';
import { parseJsonPayload } from './payload';
import type { GuestFrame } from './protocol';

const stateSchema = z.object({
  state: z.enum(['idle', 'staging', 'running', 'ended']),
  executionId: z.string().nullable(),
  /** Since the program's start, in ms; null where none started. */
  elapsedMs: z.number().nonnegative().nullable(),
  /** Number of the last call of a session; null where there is none, and left out by guests of earlier versions. */
  call: z.number().int().nonnegative().nullish(),
});

/** What a guest says of itself to a host that takes it over; a claim, checked for its form. */
export type GuestState = z.infer<typeof stateSchema>;

/** The first frame after ATTACHED. Throws HourglassError SANDBOX_LOST where there is none, PROTOCOL_ERROR for another one. */
export function readGuestState(frame: GuestFrame | undefined, cause: unknown): GuestState {
  if (frame === undefined) {
    throw new HourglassError('SANDBOX_LOST', 'the sandbox ended before it could be taken over', {}, { cause });
  }
  if (frame.type !== 'STATE') throw violation(`${frame.type} in answer to ATTACH`);
  return parseJsonPayload(stateSchema, frame);
}
