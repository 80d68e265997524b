import type { Engine, SandboxSpec } from '../engine/engine';
import type { Lease } from '../leases/lease-store';
import type { Booted } from '../pool';
import { retry } from '../retry';
import { GuestChannel, type GuestState } from '../runner';
import type { Log } from '../telemetry/log';

/** How long a guest may take to answer the next host. */
const ANSWER_MS = 10_000;

/**
 * Attaches to the sandbox of a lease and takes its guest over; undefined where it does not run any more.
 *
 * Rejects with HourglassError ENGINE_UNAVAILABLE, SANDBOX_LOST or PROTOCOL_ERROR, or with the signal's reason; nothing is
 * held then.
 */
export async function attachGuest(
  engine: Pick<Engine, 'attach'>,
  { containerId, sandboxName: name }: Pick<Lease, 'containerId' | 'sandboxName'>,
  spec: SandboxSpec,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Log },
): Promise<(Booted & { readonly state: GuestState }) | undefined> {
  // An engine that starts again has the sandbox, where it keeps its containers alive.
  const sandbox = await retry(() => engine.attach({ containerId, name, spec }, signal), {
    what: 'The engine',
    log,
    signal,
  });
  if (sandbox === undefined) return undefined;
  const channel = GuestChannel.open({ input: sandbox.input, output: sandbox.output });
  try {
    return { sandbox, channel, state: await channel.takeOver(ANSWER_MS, signal) };
  } catch (error) {
    channel.close();
    throw error;
  }
}
