import { type ProgramError, type ProgramErrorCode } from '../contract';
import { boundMessage, boundText } from './bounded-text';
import type { GuestEnd } from './guest-end';
import type { Program, ProgramOutcome } from './program';
import type { ReceivedRun, ReceivedStream } from './received';
import { parseReport, type Report } from './report';
import { SIGKILL, signalName, SIGNAL_EXIT_BASE } from './signals';

const WARNING_BYTES = 1_024;
const KILLED_EXIT = SIGNAL_EXIT_BASE + SIGKILL;

/** Why our own side ended a program; undefined where it ended by itself. */
export type KillCause = 'timeout' | 'cancelled';

function programError(code: ProgramErrorCode, message: string): ProgramError {
  return { code, type: code, message };
}

/** Errors that name a limit, with its value. */
const LIMIT_ERRORS = {
  MEMORY_LIMIT: ({ memoryMb }: Program) => `Program exceeded its memory limit of ${memoryMb} MB (memoryMb)`,
  TIMEOUT: ({ timeoutMs }: Program) => `Execution timed out after ${timeoutMs}ms`,
} as const;

export type LimitError = keyof typeof LIMIT_ERRORS;

/** What ended the program, by facts alone: kernel and clock before signals, signals before what the program says. */
function errorOf(
  program: Program,
  end: GuestEnd,
  report: Report,
  cause: KillCause | undefined,
): ProgramError | undefined {
  if (end.oomKills > 0) return programError('MEMORY_LIMIT', LIMIT_ERRORS.MEMORY_LIMIT(program));
  // The kill counts only where it was what ended the program: one that had just ended keeps its own end.
  if (cause === 'timeout' && end.killReason === 'timeout' && end.signal === SIGKILL) {
    return programError('TIMEOUT', LIMIT_ERRORS.TIMEOUT(program));
  }
  if (end.signal !== null) return programError('KILLED', `Program was killed by signal ${signalName(end.signal)}`);
  const error = report.error ?? exitError(end.exitCode ?? 0);
  return end.syntaxError && error !== undefined ? { ...error, code: 'SYNTAX_ERROR' } : error;
}

function exitError(exitCode: number): ProgramError | undefined {
  return exitCode === 0 ? undefined : programError('RUNTIME_ERROR', `Program exited with code ${exitCode}`);
}

function exitCodeOf(end: GuestEnd, error: ProgramError | undefined): number {
  if (end.signal !== null) return SIGNAL_EXIT_BASE + end.signal;
  if (end.exitCode !== 0 || error === undefined) return end.exitCode ?? 0;
  // A program whose worker process was killed for memory, or whose result is refused, did not succeed, whatever it said.
  return error.code === 'MEMORY_LIMIT' ? KILLED_EXIT : 1;
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly warnings: readonly string[];
}

function boundOutput(program: Program, run: ReceivedRun, totals: { stdout: number; stderr: number }): Output {
  const warnings: string[] = [];
  const bound = ({ name, head, tail }: ReceivedStream): string => {
    const { text, truncated } = boundText(head.bytes, tail.bytes, totals[name], program.maxOutputBytes);
    const facts = `the program wrote ${totals[name]} bytes, maxOutputBytes is ${program.maxOutputBytes}`;
    if (truncated) warnings.push(`${name} was truncated: ${facts}`);
    return text;
  };
  return { stdout: bound(run.stdout), stderr: bound(run.stderr), warnings };
}

/** The outcome of a run whose guest said how it ended. */
export function outcomeOf(
  program: Program,
  run: ReceivedRun,
  end: GuestEnd,
  cause: KillCause | undefined,
): ProgramOutcome {
  const report = parseReport(run.report.bytes, end.reportTruncated);
  const error = errorOf(program, end, report, cause);
  const { stdoutBytes, stderrBytes } = end;
  const output = boundOutput(program, run, { stdout: stdoutBytes, stderr: stderrBytes });
  return {
    exitCode: exitCodeOf(end, error),
    signal: end.signal === null ? undefined : signalName(end.signal),
    error,
    resultJson: report.resultJson,
    stdout: output.stdout,
    stderr: output.stderr,
    stdoutBytes,
    stderrBytes,
    // The guest's clock starts at the program; it may not claim more than ours saw.
    executionTimeMs: Math.min(end.wallMs, run.elapsedMs ?? 0),
    peakMemoryBytes: end.peakMemoryBytes ?? undefined,
    cpuTimeMs: end.cpuMs ?? undefined,
    figures: end.figures,
    warnings: [...output.warnings, ...report.warnings, ...boundWarnings(end.warnings)],
    collectable: true,
    ...(program.session && end.session && { session: end.session }),
  };
}

/** Warnings of the guest or the program, each bounded. */
function boundWarnings(warnings: readonly string[]): string[] {
  return warnings.map((warning) => boundMessage(warning, WARNING_BYTES));
}

/** The outcome where the guest died with its program, or did not answer and was killed: what had arrived is all there is. */
export function outcomeWithoutEnd(program: Program, run: ReceivedRun, code: LimitError): ProgramOutcome {
  const totals = { stdout: run.stdout.length, stderr: run.stderr.length };
  const { stdout, stderr, warnings } = boundOutput(program, run, totals);
  return {
    exitCode: KILLED_EXIT,
    signal: 'SIGKILL',
    error: programError(code, LIMIT_ERRORS[code](program)),
    resultJson: undefined,
    stdout,
    stderr,
    stdoutBytes: totals.stdout,
    stderrBytes: totals.stderr,
    executionTimeMs: run.elapsedMs ?? 0,
    peakMemoryBytes: undefined,
    cpuTimeMs: undefined,
    figures: [],
    warnings: [...warnings, 'the whole sandbox was killed: the end of the output and the files are lost'],
    collectable: false,
  };
}

/** The same outcome where the container was killed right after its guest said how the program ended. */
export function withoutFiles(outcome: ProgramOutcome): ProgramOutcome {
  const warnings = [...outcome.warnings, 'the sandbox was killed after the program had ended: its files are lost'];
  return { ...outcome, figures: [], warnings, collectable: false, session: undefined };
}
