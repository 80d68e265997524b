import type { SessionStatus } from '../../contract';

/** When a session ends by itself if nobody uses it, in ms since 1970; undefined where it does not know yet. */
export function endOf({ phase, lastUsedAt, expiresAt, drainsAt, idleTtlMs }: SessionStatus): number | undefined {
  const idleEnd = idleTtlMs === undefined || phase === 'busy' ? Infinity : Date.parse(lastUsedAt) + idleTtlMs;
  const known = [expiresAt, drainsAt].flatMap((time) => (time === undefined ? [] : Date.parse(time)));
  const end = Math.min(idleEnd, ...known);
  return Number.isFinite(end) ? end : undefined;
}
