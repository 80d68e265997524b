import { HourglassError, parseAs, type CallOutcome, type SessionKey } from '../contract';
import type { Attempt } from '../execution/host';
import { callerOf, type CallParts } from './call-parts';
import { keptFilesOf } from './file-keeper';
import type { SessionHost } from './host';
import type { LiveSession } from './live-session';
import { auditForeign, requireOwnKey } from './own-key';
import { rollBack } from './rollback';
import { runCall } from './run-call';
import { downloadFile, listSession, uploadFile } from './session-files';
import { callSessionSchema, closeSessionSchema, type ValidCall } from './session-input';
import { takeSession } from './take-session';

type Task = ValidCall['task'];
type Perform<Kind extends Task['kind']> = (
  task: Extract<Task, { kind: Kind }>,
  parts: CallParts,
) => Promise<CallOutcome>;

const PERFORM: { readonly [Kind in Task['kind']]: Perform<Kind> } = {
  execute: async ({ request }, parts) => ({ kind: 'execute', result: await runCall(request, parts) }),
  upload: async ({ file }, parts) => {
    await uploadFile(file, parts.session, callerOf(parts));
    return { kind: 'upload' };
  },
  download: async ({ file }, parts) => ({
    kind: 'download',
    file: await downloadFile(file, parts.session, callerOf(parts)),
  }),
  list: async (_, parts) => ({ kind: 'list', files: await listSession(parts.session, callerOf(parts)) }),
  rollback: async ({ to }, parts) => {
    await rollBack(to.call, parts.session, callerOf(parts));
    return { kind: 'rollback' };
  },
};

/**
 * Does one task of a session that this host holds; the attempts at one call do it once.
 *
 * Rejects with HourglassError SESSION_LOST where the session is not here or does not survive the call, with the failures of
 * an execution, or with the signal's reason.
 */
export async function callSession(input: unknown, host: SessionHost, attempt: Attempt): Promise<CallOutcome> {
  const call = parseAs(callSessionSchema, input, 'call');
  requireOwnKey(call.key, attempt);
  const session = await requireSession(call, host, attempt);
  attempt.progress.occupy(session.sandboxId);
  const perform = PERFORM[call.task.kind] as Perform<Task['kind']>;
  return session.exclusive(call.callId, () => perform(call.task, { call, session, host, attempt }));
}

/**
 * Ends a session and destroys its sandbox; one that is not here is over already. Where it is the last one, what is kept of the
 * session's files goes, too. Rejects as `callSession` does.
 */
export async function closeSession(input: unknown, host: SessionHost, attempt: Attempt): Promise<void> {
  const { key, sandboxId, isLast } = parseAs(closeSessionSchema, input, 'session');
  requireOwnKey(key, attempt);
  const session = await find(key, host, attempt);
  if (session?.sandboxId === sandboxId) await end(session, host);
  if (isLast === true) await (await keptFilesOf(host.workspaces, key)).remove();
  if (session?.sandboxId !== sandboxId) return;
  attempt.log.info({ sessionId: key.sessionId, containerId: sandboxId }, 'Session ended');
}

async function end(session: LiveSession, host: SessionHost): Promise<void> {
  host.sessions.forget(session);
  await session.close();
}

async function requireSession(
  { key, sandboxId }: ValidCall,
  host: SessionHost,
  attempt: Attempt,
): Promise<LiveSession> {
  const session = await find(key, host, attempt);
  if (session?.sandboxId === sandboxId) return session;
  if (host.sessions.holds(sandboxId)) auditForeign(key, { containerId: sandboxId }, attempt.log);
  // Where it was when the attempt before began, its program may have run.
  const details = { sandboxId, mayHaveRun: attempt.isLater === true };
  throw new HourglassError('SESSION_LOST', 'the session is lost: its sandbox has ended', details);
}

function find(key: SessionKey, host: SessionHost, attempt: Attempt): Promise<LiveSession | undefined> {
  return host.sessions.find(key, () => takeSession(key, host, attempt));
}
