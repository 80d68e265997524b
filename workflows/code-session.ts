import { allHandlersFinished, condition, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import { LONGEST_NOTICE_MS, type CallOrder, type CallOutcome, type SessionTask } from '../src/contract';
import { checkOptions, checkOrder, checkPayload, checkRenewal } from './session/checks';
import { asFailure, sessionFailure } from './session/failures';
import {
  closeUpdate,
  drainSignal,
  downloadUpdate,
  executeUpdate,
  interruptUpdate,
  listFilesUpdate,
  renewUpdate,
  rollbackUpdate,
  SESSION_MOVES,
  statusQuery,
  uploadUpdate,
  type SessionEnd,
  type SessionInput,
} from './session/messages';
import { Session } from './session/session';

/** Updates after which a run goes over into the next as soon as nothing is under way. */
const ENOUGH_UPDATES = 500;
/** Updates after which it takes no more: the server refuses them at 2,000. */
const MOST_UPDATES = 1_500;

/**
 * One session: an interpreter whose state stays from call to call, on one host. Started by its first call (update-with-start),
 * under the id that `sessionWorkflowId` gives; ends when it is closed, idle for too long, too old, or lost.
 *
 * Its updates fail with an ApplicationFailure of a type in `FAILURES`. Cancelling the workflow ends the session.
 */
export async function codeSession(input: SessionInput): Promise<SessionEnd> {
  checkOptions(input?.options);
  const session = new Session(input);
  const updates = serve(session);
  const mustMove = (): boolean => updates.count >= ENOUGH_UPDATES || workflowInfo().continueAsNewSuggested;
  await session.untilEnd(mustMove);
  if (session.end === undefined) {
    return continueAsNew<typeof codeSession>({ v: 1, options: session.options(), carried: session.carried() });
  }
  await session.destroy();
  await condition(allHandlersFinished);
  return session.summary();
}

type Outcome<Kind> = Extract<CallOutcome, { kind: Kind }>;

/** Takes updates and queries from now on, and counts them. */
function serve(session: Session): { count: number } {
  const updates = { count: 0 };
  const requireTaken = (): void => {
    session.requireOpen();
    if (updates.count < MOST_UPDATES) return;
    throw sessionFailure(SESSION_MOVES, 'the session goes over into its next run: ask again');
  };
  const call = <Kind extends SessionTask['kind']>(
    order: CallOrder,
    task: Extract<SessionTask, { kind: Kind }>,
  ): Promise<Outcome<Kind>> => {
    updates.count += 1;
    return session.call(order, task).then(
      (outcome) => outcome as Outcome<Kind>,
      (error: unknown) => Promise.reject(asFailure(error)),
    );
  };
  const checkCall = (order: unknown, payload: unknown): void => {
    requireTaken();
    checkOrder(order);
    checkPayload(payload);
  };
  setHandler(
    executeUpdate,
    async (order, request) => (await call<'execute'>(order, { kind: 'execute', request })).result,
    { validator: checkCall },
  );
  setHandler(uploadUpdate, async (order, file) => call<'upload'>(order, { kind: 'upload', file }).then(() => null), {
    validator: checkCall,
  });
  setHandler(downloadUpdate, async (order, file) => (await call<'download'>(order, { kind: 'download', file })).file, {
    validator: checkCall,
  });
  setHandler(rollbackUpdate, async (order, to) => call<'rollback'>(order, { kind: 'rollback', to }).then(() => null), {
    validator: checkCall,
  });
  setHandler(listFilesUpdate, async (order) => (await call<'list'>(order, { kind: 'list' })).files, {
    validator: (order) => {
      requireTaken();
      checkOrder(order);
    },
  });
  serveTheRest(session, updates, requireTaken);
  return updates;
}

function serveTheRest(session: Session, updates: { count: number }, requireTaken: () => void): void {
  const interrupt = (order: CallOrder): null => {
    updates.count += 1;
    session.interrupt(order);
    return null;
  };
  setHandler(interruptUpdate, interrupt, { validator: checkOrder });
  setHandler(
    renewUpdate,
    (renewal) => {
      updates.count += 1;
      return session.renew(renewal);
    },
    {
      validator: (renewal) => {
        requireTaken();
        checkRenewal(renewal);
      },
    },
  );
  setHandler(drainSignal, (notice) => {
    // Whoever may send signals can say anything: what makes no sense is not heard.
    if (notice?.firstRunId !== workflowInfo().firstExecutionRunId) return;
    const { hostId, noticeMs } = notice;
    const isTime = Number.isInteger(noticeMs) && noticeMs !== null && noticeMs >= 0 && noticeMs <= LONGEST_NOTICE_MS;
    if (isTime || noticeMs === null) session.drain(hostId, noticeMs);
  });
  setHandler(closeUpdate, () => session.close());
  setHandler(statusQuery, () => session.status());
}
