import type { z } from 'zod';
import { safeText } from '../telemetry/safe-text';
import { violation } from './frames';
import type { GuestFrame } from './protocol';

const ISSUE_LENGTH = 200;

/** The JSON of a frame, checked. Throws HourglassError PROTOCOL_ERROR for anything else. */
export function parseJsonPayload<T>(schema: z.ZodType<T>, frame: GuestFrame): T {
  const parsed = schema.safeParse(parseJson(frame));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue === undefined ? '' : ` (${safeText(`${issue.path.join('.')}: ${issue.message}`, ISSUE_LENGTH)})`;
  throw violation(`${frame.type} is not as it should be${where}`);
}

function parseJson(frame: GuestFrame): unknown {
  try {
    return JSON.parse(frame.payload.toString('utf8'));
  } catch {
    throw violation(`${frame.type} holds no JSON`);
  }
}
