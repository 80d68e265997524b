import { Readable } from 'node:stream';
import {
  BOUNDS,
  type ExecutionMetadata,
  type ExecutionResult,
  type JsonValue,
  type ProgramError,
  type ResultReference,
  type SavedFile,
  type SessionFacts,
  type ValidRequest,
} from '../contract';
import type { ProgramOutcome } from '../runner/program';
import { OutputRefused } from '../workspace/workspace';
import { beginningOfText } from './bounded-text';
import { boundError, boundWarnings, fitResult, roomForResult } from './fit-result';
import type { Attempt, ExecutionHost } from './host';
import type { SandboxLease } from './sandbox-lease';
import type { OutputBatch } from './output-batch';

/** What came of collecting a program's output files. */
export interface CollectedOutputs {
  readonly savedFiles: readonly SavedFile[];
  readonly warnings: readonly string[];
  /** One sentence for each file that was asked for, exists and cannot be saved. */
  readonly refusals: readonly string[];
}

/** All that a result is made of. */
export interface ResultParts {
  readonly request: ValidRequest;
  readonly outcome: ProgramOutcome;
  readonly outputs: CollectedOutputs;
  readonly lease: Pick<SandboxLease, 'sandbox'> & Pick<ExecutionMetadata, 'startKind'>;
  readonly host: ExecutionHost;
  readonly attempt: Attempt;
  /** Of a call of a session. */
  readonly session?: SessionFacts | undefined;
}

/** Where a result lies that is too large for a payload. */
export function resultPath(executionId: string): string {
  return `results/${executionId}.json`;
}

/**
 * The ExecutionResult, within `BOUNDS.payloadBytes` as JSON.
 *
 * A result value that does not fit becomes one more file of the batch. Requires: the batch is not committed yet.
 */
export async function composeResult(parts: ResultParts, batch: OutputBatch): Promise<ExecutionResult> {
  const frame = describeRun(parts);
  const { resultJson } = parts.outcome;
  if (resultJson === undefined) return fitResult({ ...frame, result: null });
  if (Buffer.byteLength(resultJson) <= roomForResult(frame)) {
    return fitResult({ ...frame, result: JSON.parse(resultJson) as JsonValue });
  }
  try {
    const resultFile = await storeResult(resultJson, parts.attempt.progress.executionId, batch);
    return fitResult({ ...frame, result: null, resultFile });
  } catch (error) {
    if (!(error instanceof OutputRefused)) throw error;
    const refusals = [...parts.outputs.refusals, error.message];
    return fitResult({ ...describeRun({ ...parts, outputs: { ...parts.outputs, refusals } }), result: null });
  }
}

function describeRun(parts: ResultParts): Omit<ExecutionResult, 'result'> {
  const { outcome, outputs } = parts;
  const error = outcome.error ?? outputError(outputs.refusals);
  return {
    success: error === undefined,
    ...(error === undefined ? {} : { error: boundError(error) }),
    stdout: outcome.stdout,
    stderr: outcome.stderr,
    savedFiles: [...outputs.savedFiles],
    // Of refused files the error names the first; where the program failed by itself, it says something else.
    warnings: boundWarnings([...outcome.warnings, ...outputs.warnings, ...outputs.refusals]),
    metadata: describeMetadata(parts),
  };
}

function outputError(refusals: readonly string[]): ProgramError | undefined {
  const [first] = refusals;
  if (first === undefined) return undefined;
  const more = refusals.length > 1 ? ` (and ${refusals.length - 1} more)` : '';
  return { code: 'OUTPUT_FILE_ERROR', type: 'OUTPUT_FILE_ERROR', message: first + more };
}

function describeMetadata({
  request,
  outcome,
  lease,
  host,
  attempt,
  session,
}: ResultParts): ExecutionResult['metadata'] {
  const { progress } = attempt;
  return {
    executionId: progress.executionId,
    language: request.language,
    engine: 'container',
    exitCode: outcome.exitCode,
    ...(outcome.signal === undefined ? {} : { signal: outcome.signal }),
    executionTimeMs: outcome.executionTimeMs,
    queueTimeMs: progress.queuedMs,
    totalTimeMs: progress.totalMs,
    startKind: lease.startKind,
    ...(outcome.peakMemoryBytes === undefined ? {} : { peakMemoryBytes: outcome.peakMemoryBytes }),
    ...(outcome.cpuTimeMs === undefined ? {} : { cpuTimeMs: outcome.cpuTimeMs }),
    stdoutBytes: outcome.stdoutBytes,
    stderrBytes: outcome.stderrBytes,
    sandboxId: lease.sandbox.name,
    hostId: host.owner.hostId,
    image: host.image,
    attempt: attempt.number,
    ...(session === undefined ? {} : { session }),
  };
}

async function storeResult(json: string, executionId: string, batch: OutputBatch): Promise<ResultReference> {
  const saved = await batch.add(resultPath(executionId), Readable.from([Buffer.from(json)]));
  return { ...saved, preview: beginningOfText(json, BOUNDS.resultPreviewBytes) };
}
