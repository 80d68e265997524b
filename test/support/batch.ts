import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultLine, ReturnedFile } from '../../src/cli/batch/results-file';
import type { WorkerPlace } from './test-worker';

/** Writes a file of requests into a place; a text is a line as it is. */
export function writeLines(place: WorkerPlace, name: string, lines: readonly (object | string)[]): void {
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(join(place.dir, name), texts.map((text) => `${text}\n`).join(''));
}

/** Result lines of a file in a place by id; those without one by their number. Each line is parsed alone. */
export function readResults(place: WorkerPlace, name: string): Record<string, ResultLine> {
  const lines = readFileSync(join(place.dir, name), 'utf8').split('\n').filter(Boolean);
  const parsed = lines.map((line) => JSON.parse(line) as ResultLine & { line?: number });
  return Object.fromEntries(parsed.map((line) => [line.id ?? `line ${line.line}`, line]));
}

/** How a result line has to show a file with this content; above the size for it, without the content. */
export function returnedFile(content: Buffer, isInline = true): ReturnedFile {
  const facts = { size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  return isInline ? { ...facts, base64: content.toString('base64') } : facts;
}
