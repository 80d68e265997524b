/** Attempts of one execution that may fail; the failure of the last is final, whatever the retry policy of its activity. */
export const MAX_FAILURES = 3;

/**
 * Attempts that may fail because the engine or the workspace is away or full, beside those: with their delays a minute or two,
 * time for an engine to be restarted.
 */
export const MAX_OUTAGES = 24;

/** Attempts of one execution that did not go well, by whose fault it was. */
export interface Setbacks {
  readonly failures: number;
  readonly outages: number;
}

/** Whether no attempt is to follow. */
export function isSpent({ failures, outages }: Setbacks): boolean {
  return failures >= MAX_FAILURES || outages >= MAX_OUTAGES;
}

/**
 * Attempts of one execution in all. More than the failures, because an attempt that takes over what another one has begun,
 * after a deploy or the death of a worker, is no failure, and one that comes before its tenant's turn is none either.
 */
export const MAX_ATTEMPTS = 1_000;
