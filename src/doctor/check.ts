/** How a check came out. */
export type CheckStatus = 'pass' | 'warning' | 'failure' | 'skipped';

/** What one check found. */
export interface Verdict {
  readonly status: CheckStatus;
  /** What was found, with its numbers. */
  readonly detail: string;
  /** What a person can do about it; there for every warning and failure. */
  readonly remedy?: string | undefined;
}

/** A check with its name, which stays the same over versions: machines read it. */
export interface Check extends Verdict {
  readonly name: string;
}

/** All is as it should be. */
export const pass = (detail: string): Verdict => ({ status: 'pass', detail });

/** It works, and could be better or safer. */
export const warning = (detail: string, remedy: string): Verdict => ({ status: 'warning', detail, remedy });

/** A promise does not hold. */
export const failure = (detail: string, remedy: string): Verdict => ({ status: 'failure', detail, remedy });

/** The check could not run. */
export const skipped = (detail: string): Verdict => ({ status: 'skipped', detail });
