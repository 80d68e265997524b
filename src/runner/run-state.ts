import { violation } from './frames';
import type { ToHost } from './protocol';

/**
 * Where a run stands, as far as the guest may know it.
 *
 * `staging`: what the program needs is on its way; `staged`: START was sent; `started`: the program runs; `draining`: it
 * has ended and the rest of what it said arrives; `ended`: END was received.
 */
export type RunState = 'staging' | 'staged' | 'started' | 'draining' | 'ended';

/** The state that a frame leads to from each state; a frame that is not listed is a violation there. */
const TRANSITIONS: Readonly<Record<RunState, Readonly<Partial<Record<ToHost, RunState>>>>> = {
  staging: { STAGE_ERROR: 'ended', END: 'ended', FATAL: 'ended' },
  staged: { STARTED: 'started', STAGE_ERROR: 'ended', END: 'ended', FATAL: 'ended' },
  started: {
    OUTPUT: 'started',
    PREVIEW: 'started',
    NOTE: 'started',
    TAIL: 'draining',
    REPORT: 'draining',
    END: 'ended',
    FATAL: 'ended',
  },
  draining: { TAIL: 'draining', REPORT: 'draining', END: 'ended', FATAL: 'ended' },
  ended: {},
};

/** The state after a frame. Throws HourglassError PROTOCOL_ERROR where the frame is not allowed. */
export function nextState(state: RunState, type: ToHost): RunState {
  const next = TRANSITIONS[state][type];
  if (next === undefined) throw violation(`${type} while the run is ${state}`);
  return next;
}
