import { constants } from 'node:os';
import type { ProgramError } from '../contract';
import { boundText } from './bounded-text';
import type { Program, ProgramOutcome } from './program';
import { type GuestEnd, type ReceivedRun, type ReceivedStream, signalName } from './received';
import { parseReport, type Report } from './report';

const SIGKILL = constants.signals.SIGKILL;
/** What shells call the exit code of a process that a signal ended. */
const SIGNAL_EXIT_BASE = 128;

/** Why our own side ended a program; undefined where it ended by itself. */
export type KillCause = 'timeout' | 'cancelled';

function memoryLimit({ memoryMb }: Program): ProgramError {
  return {
    code: 'MEMORY_LIMIT',
    type: 'MemoryLimit',
    message: `Program exceeded its memory limit of ${memoryMb} MB (memoryMb)`,
  };
}

function errorOf(
  program: Program,
  end: GuestEnd,
  report: Report,
  cause: KillCause | undefined,
): ProgramError | undefined {
  if (end.oomKills > 0) return memoryLimit(program);
  // The kill counts only where it was what ended the program: one that had just ended keeps its own end.
  if (cause === 'timeout' && end.killReason === 'timeout' && end.signal === SIGKILL) {
    return { code: 'TIMEOUT', type: 'Timeout', message: `Execution timed out after ${program.timeoutMs}ms` };
  }
  if (end.signal !== null) {
    const message = `Program was killed by signal ${signalName(end.signal)}`;
    return { code: 'KILLED', type: signalName(end.signal), message };
  }
  const error = report.error ?? exitError(end.exitCode ?? 0);
  return end.syntaxError && error !== undefined ? { ...error, code: 'SYNTAX_ERROR' } : error;
}

function exitError(exitCode: number): ProgramError | undefined {
  if (exitCode === 0) return undefined;
  return { code: 'RUNTIME_ERROR', type: 'ExitCode', message: `Program exited with code ${exitCode}` };
}

function exitCodeOf(end: GuestEnd, error: ProgramError | undefined): number {
  if (end.signal !== null) return SIGNAL_EXIT_BASE + end.signal;
  if (end.oomKills > 0 && end.exitCode === 0) return SIGNAL_EXIT_BASE + SIGKILL;
  // A program whose result is refused did not succeed, whatever it said.
  return end.exitCode === 0 && error !== undefined ? 1 : (end.exitCode ?? 0);
}

function boundStream(
  name: string,
  stream: ReceivedStream,
  total: number,
  program: Program,
): { text: string; warnings: string[] } {
  const { text, truncated } = boundText(stream.head.bytes, stream.tail.bytes, total, program.maxOutputBytes);
  const warning = `${name} was truncated: the program wrote ${total} bytes, maxOutputBytes is ${program.maxOutputBytes}`;
  return { text, warnings: truncated ? [warning] : [] };
}

/** The outcome of a run whose guest said how it ended. `elapsedMs` is our own clock: the guest's may not exceed it. */
export function outcomeOf(
  program: Program,
  run: ReceivedRun,
  end: GuestEnd,
  cause: KillCause | undefined,
  elapsedMs: number,
): ProgramOutcome {
  const report = parseReport(run.report.bytes);
  const error = errorOf(program, end, report, cause);
  const stdout = boundStream('stdout', run.stdout, end.stdoutBytes, program);
  const stderr = boundStream('stderr', run.stderr, end.stderrBytes, program);
  return {
    exitCode: exitCodeOf(end, error),
    signal: end.signal === null ? undefined : signalName(end.signal),
    error,
    resultJson: report.resultJson,
    stdout: stdout.text,
    stderr: stderr.text,
    stdoutBytes: end.stdoutBytes,
    stderrBytes: end.stderrBytes,
    executionTimeMs: Math.min(end.wallMs, elapsedMs),
    peakMemoryBytes: end.peakMemoryBytes ?? undefined,
    cpuTimeMs: end.cpuMs ?? undefined,
    figures: end.figures,
    warnings: [...stdout.warnings, ...stderr.warnings, ...report.warnings, ...end.warnings],
    collectable: true,
  };
}

/** The outcome where the kernel killed the guest itself for memory: what had arrived is all there is. */
export function outcomeOfDeadGuest(program: Program, run: ReceivedRun, elapsedMs: number): ProgramOutcome {
  const totals = { stdout: run.stdout.head.bytes.length, stderr: run.stderr.head.bytes.length };
  const stdout = boundStream('stdout', run.stdout, totals.stdout, program);
  const stderr = boundStream('stderr', run.stderr, totals.stderr, program);
  return {
    exitCode: SIGNAL_EXIT_BASE + SIGKILL,
    signal: 'SIGKILL',
    error: memoryLimit(program),
    resultJson: undefined,
    stdout: stdout.text,
    stderr: stderr.text,
    stdoutBytes: totals.stdout,
    stderrBytes: totals.stderr,
    executionTimeMs: elapsedMs,
    peakMemoryBytes: undefined,
    cpuTimeMs: undefined,
    figures: [],
    warnings: ['the sandbox itself ran out of memory: the end of the output and the files are lost'],
    collectable: false,
  };
}
