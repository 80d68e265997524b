import type { ExecutionRequest } from '../src/contract';

/** Length of a summary that the timeline of the Temporal UI shows whole, in characters. */
const SUMMARY_LENGTH = 100;
/** What the server takes, in bytes. */
const SUMMARY_BYTES = 200;

/** A request that nobody has validated yet. */
export type UncheckedRequest = Partial<Record<keyof ExecutionRequest, unknown>>;

function fileCount(request: UncheckedRequest): string | undefined {
  const count = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
  const files = count(request.inputFiles) + count(request.outputFiles);
  if (files === 0) return undefined;
  return files === 1 ? '1 file' : `${files} files`;
}

function cut(line: string): string {
  const encoder = new TextEncoder();
  const characters = [...line].slice(0, SUMMARY_LENGTH);
  while (encoder.encode(characters.join('')).length > SUMMARY_BYTES) characters.pop();
  return characters.join('');
}

/** One line for the Temporal UI, such as `python · build report · 3 files`. */
export function summarise(request: UncheckedRequest): string {
  return lineOf([request.language, request.label, fileCount(request)]);
}

/** One line for the Temporal UI, such as `session · analysis · python · build report`. */
export function summariseSession({ sessionId, language, label }: UncheckedRequest): string {
  return lineOf(['session', sessionId, language, label]);
}

function lineOf(all: readonly unknown[]): string {
  const parts = all.filter((part) => typeof part === 'string');
  // eslint-disable-next-line no-control-regex
  const line = parts.map((part) => part.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim()).filter((part) => part !== '');
  return cut(line.join(' · ')) || 'code';
}
