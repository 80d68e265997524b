import type { z } from 'zod';
import { HourglassError } from '../contract';
import type { GuestFrame } from './protocol';

/** The JSON of a frame, checked. Throws HourglassError PROTOCOL_ERROR for anything else. */
export function parseJsonPayload<T>(schema: z.ZodType<T>, frame: GuestFrame): T {
  const parsed = schema.safeParse(parseJson(frame));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue === undefined ? '' : ` (${issue.path.join('.')}: ${issue.message})`;
  throw new HourglassError(
    'PROTOCOL_ERROR',
    `the sandbox broke the protocol: ${frame.type} is not as it should be${where}`,
  );
}

function parseJson(frame: GuestFrame): unknown {
  try {
    return JSON.parse(frame.payload.toString('utf8'));
  } catch {
    throw new HourglassError('PROTOCOL_ERROR', `the sandbox broke the protocol: ${frame.type} holds no JSON`);
  }
}
