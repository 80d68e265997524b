import type { ExecutionResult } from '../src/contract';
import { markdownTable } from './markdown-table';

/** Saved files that are listed one by one. */
const MAX_FILES = 20;

function outcome(result: ExecutionResult): string {
  return result.error === undefined ? 'succeeded' : `${result.error.code}: ${result.error.message}`;
}

/** What the Temporal UI shows of a finished execution, as a Markdown table; without output or result. */
export function outcomeTable(result: ExecutionResult): string {
  const { metadata, savedFiles } = result;
  const rows: [string, string][] = [
    ['outcome', outcome(result)],
    ['language', metadata.language],
    ['exit code', String(metadata.exitCode)],
    ['program', `${Math.round(metadata.executionTimeMs)} ms`],
    ['waiting', `${Math.round(metadata.queueTimeMs)} ms`],
    ['sandbox', `${metadata.sandboxId} (${metadata.startKind})`],
    ...savedFiles.slice(0, MAX_FILES).map((file): [string, string] => [file.workspacePath, `${file.size} bytes`]),
    ...(savedFiles.length > MAX_FILES
      ? [['more files', String(savedFiles.length - MAX_FILES)] as [string, string]]
      : []),
  ];
  return markdownTable(rows);
}
