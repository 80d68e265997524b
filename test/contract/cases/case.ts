import type { ExecutionRequest } from '../../../src/contract';
import type { Expectation } from '../../support/expectation';

/** One behaviour that a language promises: a program, what it is given, and what comes back. */
export interface LanguageCase {
  /** A sentence that states the behaviour. */
  readonly title: string;
  readonly code: string;
  /** Workspace files by path, as text or base64 (`base64:` prefix). */
  readonly files?: Readonly<Record<string, string>>;
  /** Parts of the request beside language and code. */
  readonly request?: Partial<Omit<ExecutionRequest, 'language' | 'code'>>;
  readonly expect: Expectation;
}
