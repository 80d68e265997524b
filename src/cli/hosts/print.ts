import type { HostAnswer, HostReport } from '../../contract';
import { escapeControls } from '../../telemetry/safe-text';
import { formatAge } from '../format-age';
import { table } from '../table';
import type { Channel } from '../terminal';

const HEADING = ['state', 'host', 'free', 'running', 'sessions', 'sandboxes', 'memory', 'workers', ''];

/** Prints hosts as a table; what they say is others' words. */
export function printHosts(answers: readonly HostAnswer[], channel: Channel, now = Date.now()): void {
  const rows = answers.map(({ hostId, report, failure }) =>
    report === undefined
      ? [channel.colors.red('no answer'), escapeControls(hostId), failure === 'no answer' ? '' : shown(failure)]
      : [stateOf(report, channel), escapeControls(hostId), ...numbersOf(report), noteOf(report, now)],
  );
  for (const line of table(HEADING.map(channel.colors.dim), rows)) channel.line(line);
}

function stateOf({ draining, slots, sessions }: HostReport, { colors }: Channel): string {
  if (draining === undefined) return colors.green('ready');
  return colors.yellow(slots.used + sessions.open === 0 ? 'drained' : 'draining');
}

function numbersOf({ slots, sessions, sandboxes, memory, workers }: HostReport): string[] {
  return [
    String(Math.max(0, slots.total - slots.used)),
    `${slots.used} of ${slots.total}`,
    `${sessions.open} of ${sessions.most}`,
    `${sandboxes.leased} + ${sandboxes.warm} warm`,
    `${memory.usedMb} of ${memory.budgetMb} MB`,
    String(workers),
  ];
}

function noteOf({ draining, sessions }: HostReport, now: number): string {
  if (draining === undefined) return '';
  const since = `since ${ageOf(now - Date.parse(draining.since))}`;
  if (sessions.open === 0) return since;
  return `${since}, sessions close in ${ageOf(Date.parse(draining.sessionsCloseAt) - now)}`;
}

/** Nobody promises that what a host says is a time. */
const ageOf = (ms: number): string => (Number.isFinite(ms) ? formatAge(Math.max(0, ms)) : '?');

const shown = (text = ''): string => escapeControls(text);
