import { setTimeout as delay } from 'node:timers/promises';
import { parseAs, sessionOptionsSchema, sessionWorkflowIdOf, type SessionOptions } from '../../contract';
import { inLanes } from '../../lanes';
import { escapeControls } from '../../telemetry/safe-text';
import type { HourglassClient } from '../../client';
import type { CommandContext } from '../command';
import { useExecutions } from '../executions/use-executions';
import { EXIT } from '../exit-codes';
import { listenForInterrupts } from '../interrupt';
import type { Channel } from '../terminal';
import { SessionDirectory } from './directory';
import type { RemoveOptions } from './options';

/** Ends at the same time. */
const LANES = 8;

type RemovalStatus = 'closed' | 'already-ended' | 'not-ended' | 'not-found';

/** What became of one name. */
export interface Removal {
  readonly name: string;
  readonly workflowId: string;
  readonly status: RemovalStatus;
}

const SAYS: Readonly<Record<RemovalStatus, string>> = {
  closed: 'has ended; its sandbox is gone',
  'already-ended': 'had ended before',
  'not-ended': 'is asked to end, and has not ended in time; it does when a worker hears of it',
  'not-found': 'is not the name of a session of this tenant; "hourglass session ls" shows them',
};

const EXIT_OF: Readonly<Record<RemovalStatus, number>> = {
  closed: EXIT.OK,
  'already-ended': EXIT.OK,
  'not-ended': EXIT.TRY_AGAIN,
  'not-found': EXIT.FAILED,
};

/**
 * `hourglass session rm`: resolves with the exit code when all of them have ended, or the time is over.
 *
 * Rejects with HourglassError VALIDATION_ERROR for what is no name, with CliError (69) where no server answers, with Interrupted
 * at Ctrl-C: what was asked for goes on then.
 */
export async function removeSessions(
  { terminal, options, loadConfig }: CommandContext<RemoveOptions>,
  names: readonly string[],
): Promise<number> {
  const config = await loadConfig();
  const asked = [...new Set(names)].map((name) => sessionNamed(name, options));
  const interrupts = listenForInterrupts();
  try {
    const ends = await useExecutions(config, ({ connection, client }) => {
      const directory = new SessionDirectory(connection, config.temporal.namespace);
      return inLanes(asked, LANES, async (session) => {
        const end = await remove(session, client, directory, { waitMs: options.wait, signal: interrupts.signal });
        if (options.json !== true) print(end, terminal.out);
        return end;
      });
    });
    if (options.json) terminal.out.line(JSON.stringify(ends));
    return exitCodeOf(ends);
  } finally {
    interrupts.release();
  }
}

/** An end is asked for in whatever language. */
function sessionNamed(sessionId: string, { workspaceId, userId }: RemoveOptions): SessionOptions {
  return parseAs(sessionOptionsSchema, { sessionId, language: 'python', workspaceId, userId }, 'session');
}

interface Wait {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

async function remove(
  options: SessionOptions,
  client: HourglassClient,
  directory: SessionDirectory,
  wait: Wait,
): Promise<Removal> {
  const workflowId = sessionWorkflowIdOf(options);
  const known = { name: options.sessionId, workflowId };
  const isOpen = await directory.isOpen(workflowId);
  if (isOpen === undefined) return { ...known, status: 'not-found' };
  if (!isOpen) return { ...known, status: 'already-ended' };
  const hasEnded = await within(client.session(options).close(), wait);
  if (hasEnded) return { ...known, status: 'closed' };
  // What nobody has heard is forgotten with this process; this is not.
  await directory.requestEnd(workflowId);
  return { ...known, status: 'not-ended' };
}

/** False where it takes longer. Rejects with the signal's reason. */
async function within(work: Promise<void>, { waitMs, signal }: Wait): Promise<boolean> {
  const over = new AbortController();
  const patience = delay(waitMs, false, { signal: AbortSignal.any([signal, over.signal]) });
  try {
    return await Promise.race([work.then(() => true), patience]);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    over.abort();
    patience.catch(() => undefined);
    work.catch(() => undefined);
  }
}

function print({ name, status }: Removal, channel: Channel): void {
  const paint = EXIT_OF[status] === EXIT.OK ? channel.colors.green : channel.colors.yellow;
  channel.line(`${paint(status)}  ${escapeControls(name)} ${SAYS[status]}`);
}

/** A name that leads nowhere weighs more than an end that is still to come. */
function exitCodeOf(ends: readonly Removal[]): number {
  const codes = ends.map(({ status }) => EXIT_OF[status]);
  return [EXIT.FAILED, EXIT.TRY_AGAIN].find((code) => codes.includes(code)) ?? EXIT.OK;
}
