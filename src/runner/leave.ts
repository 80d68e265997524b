import { HourglassError } from '../contract';

/**
 * Why an attempt ends whose program is to go on without it: the next attempt takes the sandbox over. `cause` is what ended
 * the attempt.
 */
export class LeaveRunning extends Error {
  override readonly name = 'LeaveRunning';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * A guest answers a host that is not this one. Where the store says that the sandbox is another one's by now, this one has
 * nothing to say there any more; elsewhere the guest lies.
 */
export class TakenOver extends HourglassError {
  constructor() {
    super('PROTOCOL_ERROR', 'the sandbox broke the protocol: it answers another worker');
  }
}

/** The stream to a sandbox broke, and its program may run on: whoever attaches again hears all of it. */
export class StreamBroken extends HourglassError {
  constructor(message: string, cause: unknown) {
    super('SANDBOX_LOST', message, {}, { cause });
  }
}

/** Whether a signal has ended an attempt, and not what it runs. */
export function isLeaving({ reason }: Pick<AbortSignal, 'reason'>): boolean {
  return reason instanceof LeaveRunning;
}
