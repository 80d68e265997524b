import {
  HourglassError,
  LANGUAGES,
  parseAs,
  sessionOptionsSchema,
  sessionWorkflowIdOf,
  type Language,
  type SessionOptions,
  type SessionStatus,
} from '../../contract';
import { CliError } from '../errors';
import { EXIT } from '../exit-codes';
import type { SessionDirectory } from './directory';
import type { SessionCommandOptions } from './options';

const DEFAULT_LANGUAGE: Language = 'python';

/** The session that a command line means. Throws HourglassError VALIDATION_ERROR for a name or a duration that is none. */
export function sessionOptionsOf(sessionId: string, options: SessionCommandOptions): SessionOptions {
  const { language = DEFAULT_LANGUAGE, workspaceId, userId, idle, ttl, memory, onLost, keepCalls } = options;
  const asked = {
    ...{ sessionId, language, workspaceId, userId, idleTtlMs: idle, ttlMs: ttl, onLost, keepCalls },
    ...(memory === undefined ? {} : { resourceLimits: { memoryMb: memory } }),
  };
  parseAs(sessionOptionsSchema, asked, 'session');
  return asked;
}

/** What a command goes on with. */
export interface Chosen {
  readonly options: SessionOptions;
  /** Of the session where it is open. */
  readonly status: SessionStatus | undefined;
}

/**
 * Looks whether the session is open, and takes its language where none was asked for.
 *
 * Rejects with HourglassError SESSION_MISMATCH where another one was, with CliError (75) where nobody answers for the session.
 */
export async function chooseSession(
  options: SessionOptions,
  asked: Language | undefined,
  directory: Pick<SessionDirectory, 'isOpen' | 'status'>,
): Promise<Chosen> {
  const workflowId = sessionWorkflowIdOf(options);
  if ((await directory.isOpen(workflowId)) !== true) return { options, status: undefined };
  const status = await directory.status(workflowId);
  if (status?.phase === 'closed') return { options, status: undefined };
  if (asked !== undefined && (status === undefined || status.language === asked)) return { options, status };
  if (status === undefined) {
    const message = `session ${options.sessionId} is open, and no worker answers for it: name its language with -l`;
    throw new CliError(message, EXIT.TRY_AGAIN);
  }
  if (asked === undefined) return { options: { ...options, language: languageOf(status) }, status };
  throw languageMismatch(status.language, asked);
}

/** What the host says, too, to who asks for another language than that of the session. */
export function languageMismatch(language: string, asked: Language): HourglassError {
  const message = `Session language mismatch: session is ${language}, requested ${asked}`;
  return new HourglassError('SESSION_MISMATCH', message);
}

function languageOf({ language }: SessionStatus): Language {
  const known = LANGUAGES.find((name) => name === language);
  if (known === undefined)
    throw new HourglassError('SESSION_MISMATCH', 'the session has a language that is not known here');
  return known;
}
