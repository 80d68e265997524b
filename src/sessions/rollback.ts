import { HourglassError, type SessionKey } from '../contract';
import type { FileKeeper, KeptState } from './file-keeper';
import type { Arranged, Caller } from './live-parts';
import type { LiveSession } from './live-session';

/**
 * Takes a session back to the state that a call has left: its variables and what lies in /sandbox. Asked again it does no more.
 * Requires: within `session.exclusive`.
 *
 * Rejects with HourglassError ROLLBACK_REFUSED where that cannot be, and nothing is changed; with ROLLBACK_INCOMPLETE where files
 * could not be brought back; else as `LiveSession.program` does.
 */
export async function rollBack(call: number, session: LiveSession, caller: Caller): Promise<void> {
  const { keeper } = session;
  if (keeper === undefined) throw refused(call, 'it keeps none: open it with keepCalls');
  const state = await stateOf(call, keeper);
  const open = keeper.open.bind(keeper);
  const arranged = await arrange(session, caller, { call, tree: state.tree, open });
  if (arranged.refused !== undefined) throw refused(call, reasonOf(arranged.refused.background));
  if (arranged.fault !== undefined) throw incomplete(call, `${arranged.fault.path}: ${arranged.fault.code}`);
  await keeper.goBack(state);
  const { sessionId }: SessionKey = session.key;
  caller.attempt.log.info({ sessionId, containerId: session.sandboxId, call }, 'Session rolled back');
}

async function stateOf(call: number, keeper: FileKeeper): Promise<KeptState> {
  const calls = await keeper.calls();
  const kept = calls.find((one) => one.call === call);
  if (kept === undefined) {
    throw refused(call, `the files of that call are not kept; those after ${listed(calls.map((one) => one.call))} are`);
  }
  const state = await keeper.state(kept);
  if (state === undefined) throw refused(call, 'some of its files are gone');
  const { others } = state.tree;
  if (others > 0) throw refused(call, `${others} of its files were links or others that cannot be kept`);
  return state;
}

function arrange(
  session: LiveSession,
  caller: Caller,
  state: Parameters<LiveSession['arrange']>[1],
): Promise<Arranged> {
  return session.arrange(caller, state).catch((error: unknown) => {
    const isOfFiles = error instanceof HourglassError && error.code === 'INPUT_FILE_ERROR';
    throw isOfFiles ? incomplete(state.call ?? 0, error.message) : error;
  });
}

function reasonOf(background: number): string {
  if (background === 0) return 'the variables of that call are not kept any more';
  return `${background === 1 ? '1 process runs' : `${background} processes run`} in the background, for which nothing goes back`;
}

function listed(calls: readonly number[]): string {
  return calls.length < 2 ? `call ${calls.join()}` : `calls ${calls.slice(0, -1).join(', ')} and ${calls.at(-1)}`;
}

function refused(call: number, reason: string): HourglassError {
  return new HourglassError('ROLLBACK_REFUSED', `the session cannot go back to call ${call}: ${reason}`);
}

function incomplete(call: number, reason: string): HourglassError {
  const message = `the session went back to call ${call}, but not with all its files: ${reason}`;
  return new HourglassError('ROLLBACK_INCOMPLETE', message);
}
