import type { Attempt } from '../execution/host';
import { watchSandbox } from '../execution/watch-sandbox';
import type { Ended } from './live-parts';
import type { LiveSession } from './live-session';

/**
 * Keeps what a call has left in /sandbox, where the session asks for that; resolves with a warning for its result where that
 * could not be. Requires: within `session.read`. Rejects as `program` does.
 */
export async function keepFiles(
  session: LiveSession,
  { number, outcome }: Ended,
  { signal }: Attempt,
): Promise<string | undefined> {
  const { keeper } = session;
  if (keeper === undefined || !outcome.collectable) return undefined;
  const watch = watchSandbox(session, signal, { staysAlive: true });
  watch.expect(session.hold.limits.diskMb * 1024 * 1024);
  try {
    return await watch.during(keeper.keep(number, session.channel));
  } finally {
    watch.stop();
  }
}
