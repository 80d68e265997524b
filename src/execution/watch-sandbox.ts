import { HourglassError } from '../contract';
import type { Sandbox } from '../engine/engine';
import { isLeaving, type GuestChannel } from '../runner';

/** Longest answer that carries no file. */
const ANSWER_MS = 60_000;
/** Slower than this no sandbox sends and no workspace stores. */
const BYTES_PER_MS = 1_024;

/** Keeps a conversation with a sandbox from lasting for ever. */
export interface SandboxWatch {
  /** The next step may take as long as that many bytes can. */
  expect(bytes: number): void;
  /** The conversation's outcome; where the watch ended it, the reason of the signal or PROTOCOL_ERROR. */
  during<T>(conversation: Promise<T>): Promise<T>;
  stop(): void;
}

/**
 * Kills the sandbox when the signal aborts or a step takes too long: then every read and write of it ends. An attempt that
 * leaves closes the stream instead. With `staysAlive` an abort waits for the step's end: the sandbox is needed after it.
 */
export function watchSandbox(
  { sandbox, channel }: { readonly sandbox: Sandbox; readonly channel: GuestChannel },
  signal: AbortSignal,
  { staysAlive = false }: { readonly staysAlive?: boolean } = {},
): SandboxWatch {
  let late: HourglassError | undefined;
  let timer: NodeJS.Timeout | undefined;
  const expect = (bytes: number): void => {
    const waitMs = ANSWER_MS + bytes / BYTES_PER_MS;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const message = `the sandbox did not answer within ${waitMs} ms while its files were collected`;
      late = new HourglassError('PROTOCOL_ERROR', message, { sandboxId: sandbox.name });
      void sandbox.kill();
    }, waitMs);
  };
  const onAbort = (): void => {
    if (isLeaving(signal)) channel.close();
    else if (!staysAlive) void sandbox.kill();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  expect(0);
  return {
    expect,
    during: async (conversation) => {
      try {
        const outcome = await conversation;
        signal.throwIfAborted();
        return outcome;
      } catch (error) {
        signal.throwIfAborted();
        throw late ?? error;
      }
    },
    stop: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
