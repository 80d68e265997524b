/** Why a session has ended, and how that is said; `refused`: it could not be opened. */
export const SESSION_ENDS = {
  closed: 'was closed',
  idle: 'was idle for too long and has ended',
  expired: 'has reached its age and has ended',
  lost: 'was lost',
  cancelled: 'was cancelled',
  refused: 'could not be opened',
  drained: 'was closed, because its host is drained',
} as const;

export type EndReason = keyof typeof SESSION_ENDS;
