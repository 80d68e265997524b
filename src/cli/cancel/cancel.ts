import { inLanes } from '../../lanes';
import { escapeControls } from '../../telemetry/safe-text';
import type { CommandContext } from '../command';
import { useExecutions } from '../executions/use-executions';
import { EXIT } from '../exit-codes';
import { listenForInterrupts } from '../interrupt';
import type { Channel } from '../terminal';
import { cancelExecution, type Cancellation, type CancelStatus } from './cancel-execution';
import type { CancelOptions } from './options';

/** Cancellations at the same time. */
const LANES = 8;

const SAYS: Readonly<Record<CancelStatus, string>> = {
  cancelled: 'was cancelled; nothing of it runs any more',
  ended: 'ended before the cancellation reached it',
  'already-ended': 'had ended before',
  requested: 'is asked to end',
  'not-ended': 'is asked to end, and has not ended in time; "hourglass ls" shows what it waits for',
  'not-found': 'is not the id of an execution here; "hourglass ls" shows them',
  'not-ours': 'is a workflow of another type, which is left alone',
  session: 'is a session, which is left alone; "hourglass session rm" ends it',
};

const EXIT_OF: Readonly<Record<CancelStatus, number>> = {
  cancelled: EXIT.OK,
  ended: EXIT.OK,
  'already-ended': EXIT.OK,
  requested: EXIT.OK,
  'not-ended': EXIT.TRY_AGAIN,
  'not-found': EXIT.FAILED,
  'not-ours': EXIT.FAILED,
  session: EXIT.FAILED,
};

/**
 * `hourglass cancel`: resolves with the exit code when all of them have ended, or the time is over.
 *
 * Rejects with CliError (69) where no server answers, with Interrupted at Ctrl-C: what was asked for goes on then.
 */
export async function cancelExecutions(
  { terminal, options, loadConfig }: CommandContext<CancelOptions>,
  ids: readonly string[],
): Promise<number> {
  const config = await loadConfig();
  const interrupts = listenForInterrupts();
  const wait = { wait: options.wait, timeout: options.timeout, signal: interrupts.signal };
  try {
    const ends = await useExecutions(config, (found) =>
      inLanes([...new Set(ids)], LANES, async (id) => {
        const end = await cancelExecution(found, id, wait);
        if (options.json !== true) print(end, terminal.out);
        return end;
      }),
    );
    if (options.json) terminal.out.line(JSON.stringify(ends));
    return exitCodeOf(ends);
  } finally {
    interrupts.release();
  }
}

function print({ id, status, outcome }: Cancellation, channel: Channel): void {
  const paint = EXIT_OF[status] === EXIT.OK ? channel.colors.green : channel.colors.yellow;
  const how = outcome === undefined ? '' : ` (${escapeControls(outcome)})`;
  channel.line(`${paint(status)}  ${escapeControls(id)} ${SAYS[status]}${how}`);
}

/** An id that leads nowhere weighs more than an end that is still to come. */
function exitCodeOf(ends: readonly Cancellation[]): number {
  const codes = ends.map(({ status }) => EXIT_OF[status]);
  return [EXIT.FAILED, EXIT.TRY_AGAIN].find((code) => codes.includes(code)) ?? EXIT.OK;
}
