import { HourglassError, sessionWorkflowId, type SessionKey } from '../contract';
import type { Attempt } from '../execution/host';

/**
 * Lets the workflow of a session ask for that session, and nobody else. What is refused is said in the words for a session
 * that is not there, and noted for those who audit.
 *
 * Throws HourglassError SESSION_LOST.
 */
export function requireOwnKey(key: SessionKey, { workflow, log }: Pick<Attempt, 'workflow' | 'log'>): void {
  if (workflow?.workflowId === sessionWorkflowId(key, key.sessionId)) return;
  auditForeign(key, { asks: workflow?.workflowId }, log);
  throw new HourglassError('SESSION_LOST', 'the session is lost: its sandbox has ended', { mayHaveRun: false });
}

/** Notes that somebody asked for what is not theirs. */
export function auditForeign(key: SessionKey, facts: object, log: Attempt['log']): void {
  const { workspaceId, userId, sessionId } = key;
  log.warn({ audit: true, workspaceId, userId, sessionId, ...facts }, 'A foreign session was asked for');
}
