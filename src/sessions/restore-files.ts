import { HourglassError, type Restored } from '../contract';
import type { Attempt } from '../execution/host';
import type { SessionHost } from './host';
import type { LiveSession } from './live-session';

/** What asks for it, where no call does. */
const CALL_ID = 'restore';

/**
 * Gives a sandbox that takes the place of a lost one the files that are kept, once; undefined where the session does not ask
 * for that.
 *
 * Rejects with HourglassError SESSION_LOST where it cannot have them, or WORKSPACE_ERROR; else as `LiveSession.program` does.
 */
export async function restoreFiles(
  live: LiveSession,
  host: SessionHost,
  attempt: Attempt,
): Promise<Restored | undefined> {
  const { generation, keeps } = live.hold;
  if (generation === 0 || keeps?.restore !== true) return undefined;
  return live.exclusive(CALL_ID, async () => live.hold.restored ?? (await restore(live, host, attempt)));
}

async function restore(live: LiveSession, host: SessionHost, attempt: Attempt): Promise<Restored> {
  const { keeper } = live;
  const newest = await keeper?.newest();
  if (keeper === undefined || newest === undefined) throw await giveUp('some of them are gone', live, host);
  const { call, tree } = newest;
  const open = keeper.open.bind(keeper);
  const { fault } = await live.arrange({ callId: CALL_ID, attempt }, { tree, open });
  if (fault !== undefined) throw await giveUp(`${fault.path}: ${fault.code}`, live, host);
  await keeper.beginWith(tree);
  const restored = { call, files: tree.files.length, others: tree.others };
  await live.noteRestored(restored);
  attempt.log.info({ sessionId: live.key.sessionId, containerId: live.sandboxId, ...restored }, 'Session restored');
  return restored;
}

/** Better no sandbox than one that has not what was promised: the next call tries again. */
async function giveUp(reason: string, live: LiveSession, host: SessionHost): Promise<HourglassError> {
  host.sessions.forget(live);
  await live.close();
  const message = `the session is lost: its files could not be brought back: ${reason}`;
  return new HourglassError('SESSION_LOST', message, { sandboxId: live.sandboxId, mayHaveRun: false });
}
