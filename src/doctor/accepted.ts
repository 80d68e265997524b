import type { Check } from './check';

/** Promises that an operator may do without: fairness between programs, never a wall around them. */
export const ACCEPTABLE = ['cpu-limit'] as const;

export type Acceptable = (typeof ACCEPTABLE)[number];

/** Checks that fail where the promise does not hold. */
const CHECKS_OF: Readonly<Record<Acceptable, readonly string[]>> = { 'cpu-limit': ['cpu-limit', 'cpu'] };

/** The check, as a warning where it failed and the operator accepts that (HOURGLASS_ACCEPT). */
export function accept(check: Check, accepted: readonly Acceptable[]): Check {
  const isAccepted = accepted.some((name) => CHECKS_OF[name].includes(check.name));
  if (check.status !== 'failure' || !isAccepted) return check;
  return { ...check, status: 'warning', detail: `${check.detail} (accepted by HOURGLASS_ACCEPT)` };
}
