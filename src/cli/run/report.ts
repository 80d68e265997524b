import type { ExecutionResult, ProgramError, SavedFile } from '../../contract';
import { neutralise } from '../output-filter';
import type { Channel } from '../terminal';

const RESULT_SHOWN = 20_000;
const KiB = 1_024;
const LABEL_WIDTH = 8;

/** Facts beside the result that the report shows. */
export interface ReportContext {
  /** Absolute path of a workspace file on this machine. */
  readonly locate: (workspacePath: string) => string | undefined;
  /** Link into the Temporal UI; undefined where nobody can follow it. */
  readonly url: string | undefined;
  readonly copied: readonly string[];
}

/** Prints what came of a run, for people: outcome, result, files, timings, link. */
export function printReport(result: ExecutionResult, context: ReportContext, channel: Channel): void {
  const { dim, cyan, yellow } = channel.colors;
  const line = (label: string, text: string): void => channel.line(`${dim(label.padEnd(LABEL_WIDTH))}${text}`);
  channel.line();
  channel.line(outcome(result, channel));
  printTraceback(result, channel);
  const value = shownValue(result);
  if (result.resultFile !== undefined)
    line('result', `${describeFile(result.resultFile, context)} (too large to show)`);
  else if (value !== undefined) line('result', value);
  for (const file of result.savedFiles) line('file', describeFile(file, context));
  for (const path of context.copied) line('copy', indented(path));
  for (const warning of result.warnings) channel.line(yellow(`${'warning'.padEnd(LABEL_WIDTH)}${indented(warning)}`));
  line('time', timings(result));
  if (context.url !== undefined) channel.line(`${dim('ui'.padEnd(LABEL_WIDTH))}${cyan(context.url)}`);
}

function outcome({ success, error, metadata }: ExecutionResult, { colors }: Channel): string {
  const { green, red, bold } = colors;
  const ran = `${metadata.language} program, exit code ${metadata.exitCode}`;
  if (success || error === undefined) return green(`✔ ${ran}`);
  return `${red(`✘ ${bold(error.code)}`)} ${describeError(error)} – ${ran}`;
}

/** What went wrong in a program, after its code. */
export function describeError({ code, type, message, line }: ProgramError): string {
  const isSaid = line === undefined || message.includes(`(line ${line})`);
  const where = isSaid ? '' : ` (line ${line})`;
  return `${type === code ? '' : `${indented(type)}: `}${indented(message)}${where}`;
}

/** Prints a traceback that did not reach stderr, where runtimes print theirs. */
export function printTraceback({ error, stderr }: ExecutionResult, channel: Channel): void {
  const traceback = error?.traceback?.trim();
  if (!traceback || stderr.includes(traceback)) return;
  channel.line(`${' '.repeat(LABEL_WIDTH)}${indented(traceback)}`);
}

/** Lines of a text begin beside the labels, so that none of them passes for one of ours. */
function indented(text: string): string {
  return neutralise(text).replaceAll('\n', `\n${' '.repeat(LABEL_WIDTH)}`);
}

/** What a program left as its value, as JSON; undefined where that is nothing, or what a shell program has printed. */
export function shownValue({ result, stdout, metadata }: ExecutionResult): string | undefined {
  const isPrinted = metadata.language === 'shell' && result === stdout.replace(/\n$/, '');
  return result === null || isPrinted ? undefined : shorten(neutralise(JSON.stringify(result, null, 2)));
}

/** The beginning of a long JSON text. */
function shorten(json: string): string {
  return json.length <= RESULT_SHOWN
    ? json
    : `${json.slice(0, RESULT_SHOWN)}… (${json.length} characters; --json has all)`;
}

function describeFile({ workspacePath, size }: SavedFile, { locate }: ReportContext): string {
  const place = locate(workspacePath);
  return indented(`${workspacePath}  ${formatBytes(size)}${place === undefined ? '' : `  ${place}`}`);
}

function timings({ metadata }: ExecutionResult): string {
  const { executionTimeMs, queueTimeMs, totalTimeMs, startKind, peakMemoryBytes, cpuTimeMs } = metadata;
  return [
    `${formatMs(executionTimeMs)} run`,
    `${formatMs(queueTimeMs)} queued`,
    `${formatMs(totalTimeMs)} in the worker`,
    `${startKind} start`,
    ...(cpuTimeMs === undefined ? [] : [`${formatMs(cpuTimeMs)} CPU`]),
    ...(peakMemoryBytes === undefined ? [] : [`${formatBytes(peakMemoryBytes)} peak memory`]),
  ].join(', ');
}

/** `12 ms`, `1.23 s`. */
export function formatMs(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

/** `512 B`, `1.5 KB`, `2.0 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / KiB ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
