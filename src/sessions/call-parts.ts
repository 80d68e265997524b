import type { Attempt } from '../execution/host';
import type { SessionHost } from './host';
import type { Caller } from './live-parts';
import type { LiveSession } from './live-session';
import type { ValidCall } from './session-input';

/** One call, the session that it is for, and who does it. */
export interface CallParts {
  readonly call: ValidCall;
  readonly session: LiveSession;
  readonly host: SessionHost;
  readonly attempt: Attempt;
}

/** Whom the session knows the call by. */
export function callerOf({ call, attempt }: CallParts): Caller {
  return { callId: call.callId, attempt };
}
