import { parseAs, sessionOptionsSchema, sessionWorkflowIdOf, type SessionOptions } from '../../contract';
import type { CommandContext } from '../command';
import { endEach, within, type Ended, type Verdicts } from '../end-each';
import type { Executions } from '../executions/use-executions';
import { EXIT } from '../exit-codes';
import type { RemoveOptions } from './options';

type RemovalStatus = 'closed' | 'already-ended' | 'not-ended' | 'not-found';

/** What became of one name. */
export interface Removal extends Ended<RemovalStatus> {
  readonly name: string;
  readonly workflowId: string;
}

const VERDICTS: Verdicts<RemovalStatus> = {
  closed: [EXIT.OK, 'has ended; its sandbox is gone'],
  'already-ended': [EXIT.OK, 'had ended before'],
  'not-ended': [EXIT.TRY_AGAIN, 'is asked to end, and has not ended in time; it does when a worker hears of it'],
  'not-found': [EXIT.FAILED, 'is not the name of a session of this tenant; "hourglass session ls" shows them'],
};

/**
 * `hourglass session rm`: resolves with the exit code when all of them have ended, or the time is over.
 *
 * Rejects with HourglassError VALIDATION_ERROR for what is no name, with CliError (69) where no server answers, with Interrupted
 * at Ctrl-C: what was asked for goes on then.
 */
export async function removeSessions(
  context: CommandContext<RemoveOptions>,
  names: readonly string[],
): Promise<number> {
  const asked = [...new Set(names)].map((name) => sessionNamed(name, context.options));
  return endEach(context, asked, {
    nameOf: ({ sessionId }) => sessionId,
    end: (session, found, signal) => remove(session, found, context.options.wait, signal),
    verdicts: VERDICTS,
  });
}

/** An end is asked for in whatever language. */
function sessionNamed(sessionId: string, { workspaceId, userId }: RemoveOptions): SessionOptions {
  return parseAs(sessionOptionsSchema, { sessionId, language: 'python', workspaceId, userId }, 'session');
}

async function remove(
  options: SessionOptions,
  { client, sessions }: Executions,
  waitMs: number,
  signal: AbortSignal,
): Promise<Removal> {
  const workflowId = sessionWorkflowIdOf(options);
  const known = { name: options.sessionId, workflowId };
  const isOpen = await sessions.isOpen(workflowId);
  if (isOpen === undefined) return { ...known, status: 'not-found' };
  if (!isOpen) return { ...known, status: 'already-ended' };
  const closing = client.session(options).close();
  const hasEnded = await within(
    closing.then(() => true),
    waitMs,
    signal,
  );
  if (hasEnded === true) return { ...known, status: 'closed' };
  // What nobody has heard is forgotten with this process; this is not.
  await sessions.requestEnd(workflowId);
  return { ...known, status: 'not-ended' };
}
