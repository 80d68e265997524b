import { HourglassError, type SessionOptions } from '../../contract';

/** The failure of a call in the words of somebody at a prompt, where the session is gone; others as they are. */
export function explainEnd(error: unknown, { sessionId }: Pick<SessionOptions, 'sessionId'>): unknown {
  if (!(error instanceof HourglassError)) return error;
  const { code, message, details } = error;
  const again = 'the same command opens an empty one';
  if (code === 'SESSION_LOST') {
    const told = `session ${sessionId} is gone, and with it its variables, files and processes (${message}); ${again}`;
    return new HourglassError(code, told, details, { cause: error });
  }
  if (code === 'SESSION_CLOSED') return new HourglassError(code, `${message}; ${again}`, details, { cause: error });
  return error;
}

/** Whether nothing can be asked of the session after that. */
export function isEnd(error: unknown, { onLost }: Pick<SessionOptions, 'onLost'>): boolean {
  if (!(error instanceof HourglassError)) return false;
  return error.code === 'SESSION_CLOSED' || (error.code === 'SESSION_LOST' && (onLost ?? 'fail') === 'fail');
}
