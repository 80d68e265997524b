import type { SessionKey } from '../contract';

/** One text for one session: no two keys share it. */
export function sessionKeyText({ workspaceId, userId, sessionId, instance }: SessionKey): string {
  return JSON.stringify([workspaceId, userId, sessionId, instance]);
}
