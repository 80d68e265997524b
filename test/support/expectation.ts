import type { ExecutionResult } from '../../src/contract';

/** What a case or a corpus line says about the result; only the named parts are asserted. */
export interface Expectation {
  readonly exitCode?: number;
  readonly result?: unknown;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly stdoutIncludes?: readonly string[];
  readonly stdoutExcludes?: readonly string[];
  readonly stderrIncludes?: readonly string[];
  readonly stderrExcludes?: readonly string[];
  readonly errorCode?: string;
  readonly errorType?: string;
  readonly errorMessageIncludes?: readonly string[];
  readonly errorLine?: number;
  readonly tracebackIncludes?: readonly string[];
  readonly tracebackExcludes?: readonly string[];
  readonly warningsInclude?: readonly string[];
  /** All warnings, in order. */
  readonly warnings?: readonly string[];
  /** Workspace paths that were saved, in any order. */
  readonly saved?: readonly string[];
}

const RELATIVE_TOLERANCE = 1e-9;

function sameNumber(left: number, right: number): boolean {
  return (
    Object.is(left, right) || Math.abs(left - right) <= RELATIVE_TOLERANCE * Math.max(Math.abs(left), Math.abs(right))
  );
}

/** JSON equality; numbers within a relative tolerance of 1e-9, as the corpora ask for. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (typeof left === 'number' && typeof right === 'number') return sameNumber(left, right);
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const leftEntries = Object.entries(left);
  const other = right as Record<string, unknown>;
  return (
    leftEntries.length === Object.keys(other).length &&
    leftEntries.every(([key, value]) => key in other && sameJson(value, other[key]))
  );
}

function containment(text: string, name: string, wanted: readonly string[] | undefined, present: boolean): string[] {
  return (wanted ?? [])
    .filter((part) => text.includes(part) !== present)
    .map(
      (part) => `${name} ${present ? 'lacks' : 'holds'} ${JSON.stringify(part)}: ${JSON.stringify(text.slice(-800))}`,
    );
}

function equality(name: string, actual: unknown, wanted: unknown): string[] {
  if (wanted === undefined || sameJson(actual ?? null, wanted)) return [];
  return [`${name} is ${JSON.stringify(actual)?.slice(0, 800)}, expected ${JSON.stringify(wanted)}`];
}

/** Everything in which a result differs from what is expected; empty when it is as it should be. */
export function differences(result: ExecutionResult, expected: Expectation): string[] {
  const error = result.error;
  const found = [
    ...equality('exitCode', result.metadata.exitCode, expected.exitCode),
    ...equality('result', result.result, expected.result),
    ...equality('stdout', result.stdout, expected.stdout),
    ...equality('stderr', result.stderr, expected.stderr),
    ...equality('error.code', error?.code, expected.errorCode),
    ...equality('error.type', error?.type, expected.errorType),
    ...equality('error.line', error?.line, expected.errorLine),
    ...containment(result.stdout, 'stdout', expected.stdoutIncludes, true),
    ...containment(result.stdout, 'stdout', expected.stdoutExcludes, false),
    ...containment(result.stderr, 'stderr', expected.stderrIncludes, true),
    ...containment(result.stderr, 'stderr', expected.stderrExcludes, false),
    ...containment(error?.message ?? '', 'error.message', expected.errorMessageIncludes, true),
    ...containment(error?.traceback ?? '', 'error.traceback', expected.tracebackIncludes, true),
    ...containment(error?.traceback ?? '', 'error.traceback', expected.tracebackExcludes, false),
    ...containment(result.warnings.join('\n'), 'warnings', expected.warningsInclude, true),
    ...equality('warnings', result.warnings, expected.warnings),
    ...equality(
      'savedFiles',
      result.savedFiles.map((file) => file.workspacePath).sort(),
      expected.saved && [...expected.saved].sort(),
    ),
  ];
  const failed = expected.errorCode !== undefined || (expected.exitCode ?? 0) !== 0;
  const context = failed ? '' : `; error ${JSON.stringify(error)}; stderr ${JSON.stringify(result.stderr.slice(-500))}`;
  return found.map((difference) => difference + context);
}
