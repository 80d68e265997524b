import { HourglassError } from '../contract';
import type { GuestChannel } from './channel';
import { within } from './within';

/**
 * Lets a guest forget a call of which only parts were sent; resolves when it is ready for NEXT.
 *
 * Rejects with HourglassError SANDBOX_LOST where it does not answer within `timeoutMs` or ends, PROTOCOL_ERROR for what is
 * no frame.
 */
export async function giveUpCall(channel: GuestChannel, timeoutMs: number): Promise<void> {
  await channel.send('KILL', 0, { reason: 'cancelled' });
  await within(
    untilEnd(channel),
    timeoutMs,
    () => new HourglassError('SANDBOX_LOST', `the sandbox did not give a call up within ${timeoutMs} ms`),
  );
}

async function untilEnd(channel: GuestChannel): Promise<void> {
  for (;;) {
    const frame = await channel.next();
    if (frame === undefined) {
      throw new HourglassError(
        'SANDBOX_LOST',
        'the sandbox ended while it gave a call up',
        {},
        { cause: channel.cause },
      );
    }
    if (frame.type === 'END') return;
  }
}
