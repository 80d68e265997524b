import { WorkflowFailedError } from '@temporalio/client';
import { TemporalFailure } from '@temporalio/common';
import { ExecutionCancelled, ExecutionNotFound } from '../../client';
import { HourglassError } from '../../contract';
import type { WorkspaceStore } from '../../workspace/workspace';
import { LineError, readLine, toBatchLine, type BatchLine, type LineName } from './batch-line';
import { LineFiles } from './line-files';
import type { BatchCounts } from './progress';
import { readLines, type FileLine } from './read-lines';
import { AnsweredLines, type LineFailure, type ResultLine, type ResultsFile } from './results-file';
import type { RunRequest } from './runners';
import { SessionQueues } from './session-queues';

export interface BatchJob {
  /** The same for each start of the same batch, and no other's: its folders in workspaces are its own. */
  readonly batchId: string;
  readonly input: string;
  readonly results: ResultsFile;
  readonly answered: AnsweredLines;
  readonly counts: BatchCounts;
  readonly workspaces: WorkspaceStore;
  /** Where they lie, for people. */
  readonly workspaceDir: string;
  readonly run: RunRequest;
  /** Hears of each line that had its answer before. */
  readonly onAnswered?: (line: BatchLine) => void;
  readonly concurrency: number;
  /** Files up to this size come back inside their result line. */
  readonly inlineBytes: number;
  /** Takes no more lines and cancels those that run; they get no result line. */
  readonly signal: AbortSignal;
}

/**
 * Answers every line of a file that has no result line yet, so many at the same time; lines of one session one at a time, in
 * the order of the file.
 *
 * Resolves when all are answered, or when the signal aborted and nothing runs any more. Rejects for what concerns more
 * than one line: a file that cannot be read or written, a server that is gone.
 */
export async function runBatch(job: BatchJob): Promise<void> {
  const batch = new Batch(job, `batch/${job.batchId}`);
  const lines = readLines(job.input);
  const lanes = Array.from({ length: job.concurrency }, () => batch.work(lines));
  const ended = await Promise.allSettled(lanes);
  const broken = ended.find((end): end is PromiseRejectedResult => end.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
}

class Batch {
  #isBroken = false;
  readonly #seen = new AnsweredLines();
  readonly #queues = new SessionQueues();

  constructor(
    private readonly job: BatchJob,
    private readonly folder: string,
  ) {}

  /** One lane: takes lines as long as there are any. */
  async work(lines: AsyncGenerator<FileLine>): Promise<void> {
    try {
      while (!this.job.signal.aborted && !this.#isBroken) {
        const next = await lines.next();
        if (next.done === true) return;
        await this.#take(next.value);
      }
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  /** Decides in the order of the file what becomes of a line; resolves when the lane may take the next one. */
  async #take(line: FileLine): Promise<void> {
    if (line.text?.trim() === '') return;
    const { answered, counts, onAnswered } = this.job;
    const read = this.#read(line);
    const name = read instanceof LineError ? read.line : { id: read.id, number: line.number };
    const isRepeated = this.#seen.has(name);
    this.#seen.add(name);
    // The answer of a repeated line has no id: that is the first one's.
    if (answered.has(isRepeated ? { ...name, id: null } : name)) {
      counts.skipped += 1;
      if (!(read instanceof LineError)) onAnswered?.(read);
    } else if (isRepeated) await this.#answer(async () => repeated(name));
    else if (read instanceof LineError) await this.#answer(async () => failed(read));
    else await this.#queues.answer({ line: read, bytes: line.bytes }, (next) => this.#answer(() => this.#run(next)));
  }

  async #answer(make: () => Promise<ResultLine | undefined>): Promise<void> {
    const { counts, results, signal } = this.job;
    if (signal.aborted || this.#isBroken) return;
    counts.running += 1;
    try {
      const answer = await make();
      if (answer === undefined) return;
      await results.write(answer);
      this.#count(answer);
    } finally {
      counts.running -= 1;
    }
  }

  #read(line: FileLine): BatchLine | LineError {
    try {
      return toBatchLine(readLine(line), line.number, `${this.folder}/${line.number}`);
    } catch (error) {
      if (error instanceof LineError) return error;
      throw error;
    }
  }

  /** Undefined where the batch was interrupted: the line is for the next start. */
  async #run(line: BatchLine): Promise<ResultLine | undefined> {
    const { workspaces, workspaceDir, run, inlineBytes, signal } = this.job;
    try {
      const files = await LineFiles.open(workspaces, line);
      try {
        await files.stage();
        const result = await run(line.request, signal, line.id);
        const returned = await files.collect(result, inlineBytes);
        return { id: line.id, result, ...(returned === undefined ? {} : { files: returned }) };
      } finally {
        await files.unstage();
      }
    } catch (error) {
      if (signal.aborted) return undefined;
      return { id: line.id, failure: failureOf(explain(error, line, workspaceDir)) };
    }
  }

  #count(answer: ResultLine): void {
    const { counts } = this.job;
    if ('failure' in answer) counts.failures += 1;
    else counts.results += 1;
    if ('result' in answer && answer.result.success) counts.succeeded += 1;
  }
}

function failed({ line, message }: LineError): ResultLine {
  const failure = { code: 'VALIDATION_ERROR', message, retryable: false } as const;
  return line.id === null ? { id: null, line: line.number, failure } : { id: line.id, failure };
}

/** Without the id: the result line of that id is the first one's. */
function repeated({ id, number }: LineName): ResultLine {
  const message = `line ${number} is not valid: its id ${JSON.stringify(id)} is that of an earlier line`;
  return { id: null, line: number, failure: { code: 'VALIDATION_ERROR', message, retryable: false } };
}

/** A file that was just put into the workspace and that the worker does not find: the worker looks into another one. */
function explain(error: unknown, { folder }: BatchLine, dir: string): unknown {
  if (!(error instanceof HourglassError) || error.code !== 'INPUT_FILE_ERROR') return error;
  if (error.details.path?.startsWith(`${folder}/`) !== true) return error;
  const message = `${error.message}: the worker that runs uses another workspace than ${dir} (HOURGLASS_WORKSPACE_DIR)`;
  return new HourglassError(error.code, message, error.details, { cause: error });
}

/** What concerns this line alone. Throws everything else again: the batch cannot go on. */
function failureOf(error: unknown): LineFailure {
  if (error instanceof HourglassError) {
    const { code, message, retryable } = error;
    return { code, message, retryable };
  }
  if (error instanceof ExecutionCancelled) return { code: 'CANCELLED', message: error.message, retryable: true };
  // A workflow that ended in a way that no table knows.
  const isOfOne = [ExecutionNotFound, WorkflowFailedError, TemporalFailure].some((kind) => error instanceof kind);
  if (isOfOne) return { code: 'INTERNAL_ERROR', message: (error as Error).message, retryable: true };
  throw error;
}
