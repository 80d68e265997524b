import type { CommandContext } from '../command';
import { endEach, type Verdicts } from '../end-each';
import { EXIT } from '../exit-codes';
import { cancelExecution, type CancelStatus } from './cancel-execution';
import type { CancelOptions } from './options';

const VERDICTS: Verdicts<CancelStatus> = {
  cancelled: [EXIT.OK, 'was cancelled; nothing of it runs any more'],
  ended: [EXIT.OK, 'ended before the cancellation reached it'],
  'already-ended': [EXIT.OK, 'had ended before'],
  requested: [EXIT.OK, 'is asked to end'],
  'not-ended': [EXIT.TRY_AGAIN, 'is asked to end, and has not ended in time; "hourglass ls" shows what it waits for'],
  'not-found': [EXIT.FAILED, 'is not the id of an execution here; "hourglass ls" shows them'],
  'not-ours': [EXIT.FAILED, 'is a workflow of another type, which is left alone'],
  session: [EXIT.FAILED, 'is a session, which is left alone; "hourglass session rm" ends it'],
};

/**
 * `hourglass cancel`: resolves with the exit code when all of them have ended, or the time is over.
 *
 * Rejects with CliError (69) where no server answers, with Interrupted at Ctrl-C: what was asked for goes on then.
 */
export function cancelExecutions(context: CommandContext<CancelOptions>, ids: readonly string[]): Promise<number> {
  const { wait, timeout } = context.options;
  return endEach(context, [...new Set(ids)], {
    nameOf: (id) => id,
    end: (id, found, signal) => cancelExecution(found, id, { wait, timeout, signal }),
    verdicts: VERDICTS,
  });
}
