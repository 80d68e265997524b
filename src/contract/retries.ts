/** Attempts of one execution that may fail; the failure of the last is final, whatever the retry policy of its activity. */
export const MAX_FAILURES = 3;

/**
 * Attempts of one execution in all. More than the failures, because an attempt that takes over what another one has begun,
 * after a deploy or the death of a worker, is no failure.
 */
export const MAX_ATTEMPTS = 100;
