import { formatAge } from '../format-age';
import type { Channel } from '../terminal';
import { endOf } from './end-of';
import type { SessionWork } from './session-work';

/** Says how long a session lasts that somebody leaves, and how it is ended. Never rejects. */
export async function sayFarewell(
  { connected, directory, session }: Pick<SessionWork, 'connected' | 'directory' | 'session'>,
  err: Channel,
): Promise<void> {
  const { server, worker, config } = connected;
  const { sessionId, workflowId } = session;
  const say = (text: string): void => err.line(err.colors.dim(text));
  if (server.started) return say(`session ${sessionId} ends with the server of this command`);
  const status = await directory.status(workflowId);
  const end = status === undefined || status.phase === 'closed' ? undefined : endOf(status);
  if (end === undefined) return;
  const left = Math.max(0, end - Date.now());
  const alone = worker.isLocal && config.leaseMs < left;
  const howLong = alone
    ? `for ${formatAge(config.leaseMs)} without a worker ("hourglass worker" or "hourglass dev" start one)`
    : `for ${formatAge(left)} if nobody uses it`;
  say(`session ${sessionId} stays ${howLong}; "hourglass session rm ${sessionId}" ends it`);
}
