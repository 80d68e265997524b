import type { Info } from '@temporalio/activity';
import { heartbeatSchema, type JsonValue, type Setbacks } from '../src/contract';

/** What is known of the attempts before this one. */
export interface EarlierAttempts extends Setbacks {
  /** Whether the last one was cut off: what became of it decides whether it counts. */
  readonly isCutOff: boolean;
  /** What the program has kept, as far as it was heard. */
  readonly checkpoint?: JsonValue | undefined;
}

/** Reads the last heartbeat of the attempts before this one. */
export function earlierAttempts({ attempt, heartbeatDetails }: Info): EarlierAttempts {
  const { data: last } = heartbeatSchema.safeParse(heartbeatDetails);
  // A reset counts anew, and takes nothing of what was heard away.
  if (attempt <= 1) {
    const isCutOff = last !== undefined && last.end === undefined;
    return { failures: 0, outages: 0, isCutOff, checkpoint: last?.checkpoint };
  }
  // One of a version that did not count was the attempt before, for all it says.
  const heard = last === undefined ? 0 : (last.attempt ?? attempt - 1);
  const unheard = Math.max(0, attempt - 1 - heard);
  return {
    // Attempts that nobody heard of count as failures.
    failures: (last?.failures ?? 0) + unheard,
    outages: last?.outages ?? 0,
    isCutOff: unheard === 0 && last?.end === undefined,
    checkpoint: last?.checkpoint,
  };
}
