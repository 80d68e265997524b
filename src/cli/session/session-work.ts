import type { HourglassSession, SessionRequest } from '../../client';
import type { CommandContext } from '../command';
import type { Connected } from '../run/connect';
import type { CallRunner } from './call-runner';
import type { Chosen } from './choose-session';
import type { SessionDirectory } from './directory';
import type { SessionCommandOptions } from './options';

export type SessionContext = CommandContext<SessionCommandOptions>;

/** What a command does with a session. */
export interface SessionWork {
  readonly context: SessionContext;
  readonly connected: Connected;
  readonly directory: SessionDirectory;
  readonly chosen: Chosen;
  readonly session: HourglassSession;
  readonly runner: CallRunner;
  /** What each program is given beside its code. */
  readonly request: SessionRequest;
  readonly signal: AbortSignal;
}
