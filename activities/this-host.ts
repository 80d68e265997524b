import type { Info } from '@temporalio/activity';
import { heartbeatSchema, HourglassError, rerunsAfterLoss, type Phase } from '../src/contract';

/**
 * Lets an attempt begin whose earlier ones were on this host, or have certainly not run the program.
 *
 * Throws HourglassError OTHER_HOST, which names the host that has to be asked first; or OUTCOME_UNKNOWN where an earlier
 * attempt has said nothing at all, and the request does not say that it may run twice.
 */
export function requireThisHost(
  { attempt, heartbeatDetails }: Info,
  hostId: string,
  origin: string,
  input: unknown,
): void {
  const { data: last } = heartbeatSchema.safeParse(heartbeatDetails);
  if (last === undefined && attempt <= 1) return;
  // One that was heard before the last attempt says nothing about that.
  if (last === undefined || (last.attempt ?? attempt) < attempt - 1) {
    if (rerunsAfterLoss(input ?? {})) return;
    throw new HourglassError('OUTCOME_UNKNOWN', 'an earlier attempt ended without a word: its program may have run');
  }
  if (last.hostId === hostId || last.restartable === true) return;
  const { hostId: lastHost, sandboxId, phase, checkpoint } = last;
  const details = { hostId: lastHost, sandboxId, phase, origin, checkpoint };
  throw new HourglassError(
    'OTHER_HOST',
    `an earlier attempt was on host ${last.hostId}, which has to be asked`,
    details,
  );
}

/** Where the attempt before was when it was last heard of; undefined where it has left nothing to look for. */
export function phaseSeen({ heartbeatDetails }: Info): Phase | undefined {
  const { data: last } = heartbeatSchema.safeParse(heartbeatDetails);
  return last?.restartable === true ? undefined : last?.phase;
}
