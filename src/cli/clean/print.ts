import { escapeControls } from '../../telemetry/safe-text';
import type { Failure } from '../errors';
import { formatBytes } from '../run/report';
import { table } from '../table';
import type { Channel } from '../terminal';
import type { CleanOptions } from './options';
import type { CleanItem, PartResult } from './part';

/** Prints what went, or would go, for people; names are others' words and are shown, never obeyed. */
export function printResult(
  { removed, kept, bytes }: Pick<PartResult, 'removed' | 'kept' | 'bytes'>,
  { dryRun }: Pick<CleanOptions, 'dryRun'>,
  channel: Channel,
): void {
  const { bold, dim } = channel.colors;
  if (removed.length > 0)
    for (const line of table(['what', 'name', 'size', 'why'].map(dim), removed.map(cells))) channel.line(line);
  channel.line(removed.length === 0 ? 'Nothing is left over.' : bold(summary(removed.length, bytes, dryRun === true)));
  for (const [reason, number] of countReasons(kept))
    channel.line(dim(`${number} ${number === 1 ? 'sandbox stays' : 'sandboxes stay'}: ${reason}`));
}

function summary(count: number, bytes: number, dryRun: boolean): string {
  const things = count === 1 ? '1 thing' : `${count} things`;
  return dryRun
    ? `${things} would go, and free at least ${formatBytes(bytes)} on the disk.`
    : `${things} went, and freed ${formatBytes(bytes)} on the disk.`;
}

/** Prints what could not be done. */
export function printFailures(failures: readonly Failure[], channel: Channel): void {
  for (const { code, message } of failures) {
    channel.line(`${channel.colors.red(`hourglass: ${code}`)}: ${escapeControls(message)}`);
  }
}

function cells({ kind, name, reason, bytes }: CleanItem): string[] {
  return [kind, escapeControls(name), bytes === undefined ? '-' : formatBytes(bytes), escapeControls(reason)];
}

function countReasons(kept: readonly CleanItem[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { reason } of kept) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}
