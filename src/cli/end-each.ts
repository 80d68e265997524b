import { setTimeout as delay } from 'node:timers/promises';
import { inLanes } from '../lanes';
import { escapeControls } from '../telemetry/safe-text';
import type { CommandContext } from './command';
import { useExecutions, type Executions } from './executions/use-executions';
import { EXIT } from './exit-codes';
import { listenForInterrupts } from './interrupt';
import type { Channel } from './terminal';

/** Ends at the same time. */
const LANES = 8;

/** What became of one that was to end; written as it is with `--json`. */
export interface Ended<Status extends string = string> {
  readonly status: Status;
  /** How it ended, where it ended otherwise than by this. */
  readonly outcome?: string;
}

/** What each status says to people, and which exit code it calls for. */
export type Verdicts<Status extends string> = Readonly<Record<Status, readonly [exitCode: number, says: string]>>;

/** How those are ended that a command is given. */
export interface Ending<Item, Status extends string> {
  readonly nameOf: (item: Item) => string;
  readonly end: (item: Item, found: Executions, signal: AbortSignal) => Promise<Ended<Status>>;
  readonly verdicts: Verdicts<Status>;
}

/**
 * Ends all of them, says of each what became of it, and resolves with the exit code.
 *
 * Rejects with CliError (69) where no server answers, with Interrupted at Ctrl-C: what was asked for goes on then.
 */
export async function endEach<Item, Status extends string>(
  { terminal: { out }, options, loadConfig }: CommandContext,
  items: readonly Item[],
  { nameOf, end, verdicts }: Ending<Item, Status>,
): Promise<number> {
  const config = await loadConfig();
  const interrupts = listenForInterrupts();
  try {
    const ends = await useExecutions(config, (found) =>
      inLanes(items, LANES, async (item) => {
        const ended = await end(item, found, interrupts.signal);
        if (options.json !== true) print(nameOf(item), ended, verdicts[ended.status], out);
        return ended;
      }),
    );
    if (options.json) out.line(JSON.stringify(ends));
    return exitCodeOf(ends.map(({ status }) => verdicts[status][0]));
  } finally {
    interrupts.release();
  }
}

/** What the work comes to; undefined where it takes longer. Rejects as the work does, or with the signal's reason. */
export async function within<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T | undefined> {
  const over = new AbortController();
  const patience = delay(ms, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => undefined);
  try {
    const value = await Promise.race([work, patience]);
    signal.throwIfAborted();
    return value;
  } finally {
    over.abort();
    work.catch(() => undefined);
  }
}

function print(
  name: string,
  { status, outcome }: Ended,
  [exitCode, says]: Verdicts<string>[string],
  channel: Channel,
): void {
  const paint = exitCode === EXIT.OK ? channel.colors.green : channel.colors.yellow;
  const how = outcome === undefined ? '' : ` (${escapeControls(outcome)})`;
  channel.line(`${paint(status)}  ${escapeControls(name)} ${says}${how}`);
}

/** What leads nowhere weighs more than an end that is still to come. */
function exitCodeOf(codes: readonly number[]): number {
  return [EXIT.FAILED, EXIT.TRY_AGAIN].find((code) => codes.includes(code)) ?? EXIT.OK;
}
