import { createWriteStream, existsSync, truncateSync, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { ExecutionResult, FailureCode } from '../../contract';
import type { LineName } from './batch-line';
import { readLines } from './read-lines';

/** A file that a program left, as a result line has it. */
export interface ReturnedFile {
  readonly size: number;
  readonly sha256: string;
  /** The content, up to the size that `--inline-files` allows. */
  readonly base64?: string;
}

/** Why a line has no result. */
export interface LineFailure {
  readonly code: FailureCode | 'CANCELLED';
  readonly message: string;
  readonly retryable: boolean;
}

/** One line of the results file. */
export type ResultLine =
  | { readonly id: string; readonly result: ExecutionResult; readonly files?: Readonly<Record<string, ReturnedFile>> }
  | { readonly id: string | null; readonly line?: number; readonly failure: LineFailure };

/** Lines that have their result line already. */
export class AnsweredLines {
  readonly #ids = new Set<string>();
  readonly #numbers = new Set<number>();
  /** Sandboxes of the sessions that lines have opened. */
  readonly opened = new Set<string>();

  get size(): number {
    return this.#ids.size + this.#numbers.size;
  }

  has({ id, number }: LineName): boolean {
    return id === null ? this.#numbers.has(number) : this.#ids.has(id);
  }

  add({ id, number }: LineName): void {
    if (id === null) this.#numbers.add(number);
    else this.#ids.add(id);
  }
}

/** A results file that can be written, and what it holds already. */
export interface OpenedResults {
  readonly file: ResultsFile;
  readonly answered: AnsweredLines;
}

/**
 * Opens a results file to go on with: what it holds is kept and answered already, a half-written last line is taken off.
 *
 * Rejects where it cannot be read or written, or holds a line that is no result line: it is another file then.
 */
export async function openResults(path: string): Promise<OpenedResults> {
  const answered = new AnsweredLines();
  if (existsSync(path)) truncateSync(path, await readAnswered(path, answered));
  const stream = createWriteStream(path, { flags: 'a' });
  await once(stream, 'open');
  return { file: new ResultsFile(stream), answered };
}

/** Notes whose lines are answered; resolves with the length of the file without a half-written last line. */
async function readAnswered(path: string, answered: AnsweredLines): Promise<number> {
  let complete = 0;
  for await (const { number, text = '', bytes, hasEnd } of readLines(path, Number.MAX_SAFE_INTEGER)) {
    const answer = readAnswer(text);
    if (answer === undefined && (hasEnd || !beginsLikeOne(text)))
      throw new Error(`${path} is no results file: its line ${number} is no result line`);
    // Without its end it may not be whole, and is answered again.
    if (!hasEnd || answer === undefined) break;
    answered.add(answer.name);
    if (answer.opened !== undefined) answered.opened.add(answer.opened);
    complete += bytes;
  }
  return complete;
}

/** What a text says, read as a result line; nothing of it is as it should be for sure. */
interface AnyLine {
  readonly id?: unknown;
  readonly line?: unknown;
  readonly result?: { readonly metadata?: Partial<ExecutionResult['metadata']> | null } | null;
  readonly failure?: unknown;
}

/** Whose line it answers, and the sandbox of the session that the line has opened; undefined for what is no result line. */
function readAnswer(text: string): { name: LineName; opened: string | undefined } | undefined {
  try {
    const { id, line, result, failure } = JSON.parse(text) as AnyLine;
    if (!isObject(result) && !isObject(failure)) return undefined;
    const opened = openedSandbox(result?.metadata ?? {});
    if (typeof id === 'string') return { name: { id, number: 0 }, opened };
    return id === null && typeof line === 'number' ? { name: { id, number: line }, opened } : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The sandbox of the session that a call has opened; undefined where an earlier call has, or for no call at all. */
export function openedSandbox({
  session,
  sandboxId,
}: Partial<Pick<ExecutionResult['metadata'], 'session' | 'sandboxId'>>): string | undefined {
  return session?.call === 1 && session.recreated !== true ? sandboxId : undefined;
}

const AFTER_ID = ['"result":', '"line":', '"failure":'];
const WITH_ID = /^\{"id":(?:"(?:[^"\\]|\\.)*"|null),(.*)$/s;

/** Whether a text can be the beginning of a result line: what cannot be is somebody's own and stays. */
function beginsLikeOne(text: string): boolean {
  const agrees = (part: string, whole: string): boolean => whole.startsWith(part.slice(0, whole.length));
  const rest = WITH_ID.exec(text)?.[1];
  if (rest !== undefined) return AFTER_ID.some((name) => agrees(rest, name));
  return agrees(text, '{"id":') && !/^\{"id":(?!"|n|$)/.test(text);
}

/** A results file that grows by whole lines. */
export class ResultsFile {
  #failure: Error | undefined;
  #draining: Promise<void> | undefined;

  constructor(private readonly stream: WriteStream) {
    stream.on('error', (error) => (this.#failure ??= error));
  }

  /** Appends one line; resolves when more can be taken. Rejects where the file cannot be written. */
  async write(line: ResultLine): Promise<void> {
    this.#check();
    // A stream that is closed takes nothing and says nothing any more.
    if (this.stream.closed || this.stream.writableEnded) throw new Error('the results file is closed');
    if (this.stream.write(`${JSON.stringify(line)}\n`)) return;
    await this.#drained();
    this.#check();
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** One wait for all who write. Resolves also where the file is closed because of an error, after which nothing drains. */
  #drained(): Promise<void> {
    this.#draining ??= new Promise((resolve) => {
      const go = (): void => {
        this.stream.off('drain', go).off('close', go);
        this.#draining = undefined;
        resolve();
      };
      this.stream.on('drain', go).on('close', go);
    });
    return this.#draining;
  }

  /** Resolves when everything is in the file. */
  async close(): Promise<void> {
    this.stream.end();
    await finished(this.stream);
  }
}
