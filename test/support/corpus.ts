import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionRequest, Language } from '../../src/contract';
import { type LanguageCase } from '../contract/cases/case';
import { type Expectation } from './expectation';

/** One line of a corpus, as its README describes it. */
interface CorpusLine {
  readonly id: string;
  readonly language: Language;
  readonly code: string;
  readonly inputData?: ExecutionRequest['inputData'];
  readonly inputFiles?: readonly { path: string; content: string }[];
  readonly limits?: { timeoutMs?: number };
  readonly expect: Expectation & { readonly errorClass?: string };
}

/** A corpus program as a case: its own expectation decides. */
export interface CorpusCase extends LanguageCase {
  readonly language: Language;
}

const ERROR_CODE_OF_CLASS: Readonly<Record<string, string>> = {
  runtime: 'RUNTIME_ERROR',
  syntax: 'SYNTAX_ERROR',
  timeout: 'TIMEOUT',
};

function toCase(line: CorpusLine): CorpusCase {
  const { errorClass, ...expectation } = line.expect;
  const files = line.inputFiles ?? [];
  return {
    title: line.id,
    language: line.language,
    code: line.code,
    files: Object.fromEntries(files.map((file) => [file.path, file.content])),
    request: {
      ...(line.inputData === undefined ? {} : { inputData: line.inputData }),
      ...(files.length === 0 ? {} : { inputFiles: files.map((file) => ({ path: file.path })) }),
      ...(line.limits?.timeoutMs === undefined ? {} : { timeout: line.limits.timeoutMs }),
    },
    expect: {
      ...expectation,
      ...(errorClass === undefined ? {} : { errorCode: ERROR_CODE_OF_CLASS[errorClass] ?? errorClass }),
    },
  };
}

/** Every program of every `*.jsonl` in a folder; empty when the folder is not there. */
export function readCorpora(folder: string): CorpusCase[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean))
    .map((line) => toCase(JSON.parse(line) as CorpusLine));
}
