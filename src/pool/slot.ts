import { HourglassError } from '../contract';
import type { Engine, Sandbox, SandboxOwner, SandboxSpec } from '../engine/engine';
import { GuestChannel } from '../runner/channel';
import { moveSlot, type SlotState } from './slot-state';

/** A sandbox whose guest is READY. */
export interface Booted {
  readonly sandbox: Sandbox;
  readonly channel: GuestChannel;
}

/** What every slot of a pool needs to boot. */
export interface BootContext {
  readonly engine: Engine;
  readonly owner: SandboxOwner;
  /** Longest wait for the guest's READY. */
  readonly bootTimeoutMs: number;
}

/** Makes the sandbox of a slot, or takes one over; nothing is left where it rejects. */
export type Boot = (signal: AbortSignal) => Promise<Booted>;

/** One sandbox from its boot to its removal. */
export class Slot {
  /** Somebody waits for this slot: it is not for others, and it is not surplus. */
  claimed: boolean;
  /** Whose code it has run; it serves nobody else. Undefined: nobody's yet, or it serves one run only. */
  tenant: string | undefined;
  uses = 0;
  /** When it was leased last. */
  usedAt: number;
  /** Rejects when the sandbox does not boot or is not wanted any more. */
  readonly ready: Promise<Booted>;
  readonly bornAt: number;
  readonly #boot = new AbortController();
  #state: SlotState = 'starting';
  #booted: Booted | undefined;
  #gone: Promise<void> | undefined;
  #returned: Promise<void> | undefined;

  constructor(
    readonly key: string,
    readonly spec: SandboxSpec,
    /** Whether a lease asked for it; else the pool did in advance. */
    readonly onDemand: boolean,
    boot: Boot,
    now: number,
  ) {
    this.claimed = onDemand;
    this.bornAt = now;
    this.usedAt = now;
    this.ready = this.#start(boot);
    // Nobody may be waiting: a failure is the pool's to count then, not an unhandled rejection.
    this.ready.catch(() => undefined);
  }

  get state(): SlotState {
    return this.#state;
  }

  get isIdle(): boolean {
    return this.#state === 'warm' && !this.claimed && this.tenant === undefined;
  }

  /** Waits for its tenant's next run. */
  get isKept(): boolean {
    return this.#state === 'warm' && !this.claimed && this.tenant !== undefined;
  }

  /** Will wait for its tenant's next run when its reset is done. */
  get isReturning(): boolean {
    return this.#state === 'resetting' && !this.claimed;
  }

  /** Settles with the reset that is under way. */
  get returned(): Promise<void> {
    return this.#returned ?? Promise.resolve();
  }

  get isUnclaimedStart(): boolean {
    return this.#state === 'starting' && !this.claimed;
  }

  /** Whether the guest can still be spoken to. */
  get isAlive(): boolean {
    return this.sandbox !== undefined && !this.sandbox.input.destroyed;
  }

  get sandbox(): Sandbox | undefined {
    return this.#booted?.sandbox;
  }

  /** Whether the boot was given up on purpose; such a slot says nothing about its key. */
  get wasAbandoned(): boolean {
    return this.#boot.signal.aborted;
  }

  /** Hands the sandbox to its one user; with a tenant it may serve that tenant again. Requires: warm. */
  lease(tenant: string | undefined): Booted {
    this.#state = moveSlot(this.#state, 'leased');
    this.claimed = false;
    this.tenant = tenant;
    this.uses += 1;
    this.usedAt = Date.now();
    if (this.#booted === undefined) throw new Error('a slot without a sandbox was leased');
    return this.#booted;
  }

  /** Back to warm, for the same tenant. Rejects where the guest cannot verify that it is as it was born. Requires: leased. */
  reset(timeoutMs: number): Promise<void> {
    this.#state = moveSlot(this.#state, 'resetting');
    this.#returned = this.#reset(timeoutMs);
    return this.#returned;
  }

  /** Tells the guest that its owner lives; a guest that cannot be told is dead. */
  async renew(leaseMs: number): Promise<void> {
    await this.#booted?.channel.send('RENEW', 0, { leaseMs });
  }

  /** Lets go of a sandbox that goes on without this process. Requires: leased. */
  detach(): void {
    this.#state = moveSlot(this.#state, 'gone');
    this.#booted?.channel.close();
  }

  /** Gives a boot up, or removes the sandbox. Idempotent; rejects when the engine cannot remove it. */
  retire(): Promise<void> {
    this.#gone ??= this.#retire();
    return this.#gone;
  }

  async #reset(timeoutMs: number): Promise<void> {
    const channel = this.#booted?.channel;
    if (channel === undefined) throw new Error('a slot without a sandbox was reset');
    await channel.reset(timeoutMs, this.#boot.signal);
    this.#boot.signal.throwIfAborted();
    this.#state = moveSlot(this.#state, 'warm');
  }

  async #start(boot: Boot): Promise<Booted> {
    try {
      const booted = await boot(this.#boot.signal);
      this.#booted = booted;
      // A retirement that began meanwhile takes the sandbox along.
      this.#boot.signal.throwIfAborted();
      this.#state = moveSlot(this.#state, 'warm');
      return booted;
    } catch (error) {
      if (this.#state === 'starting') this.#state = moveSlot(moveSlot(this.#state, 'broken'), 'gone');
      throw error;
    }
  }

  async #retire(): Promise<void> {
    if (this.#state === 'gone') return;
    this.#state = moveSlot(this.#state, 'retiring');
    // Seen only by those who wait for a boot while the pool drains: nothing else gives up a boot that is awaited.
    this.#boot.abort(new HourglassError('WORKER_SHUTDOWN', 'The worker is stopping: the boot was given up.'));
    await this.ready.catch(() => undefined);
    this.#booted?.channel.close();
    await this.#booted?.sandbox.destroy();
    this.#state = moveSlot(this.#state, 'gone');
  }
}

/** Boots a sandbox and waits until its guest is ready; in a hurry where a lease waits for it. */
export async function boot(
  context: BootContext,
  spec: SandboxSpec,
  signal: AbortSignal,
  hurry: boolean,
): Promise<Booted> {
  const sandbox = await context.engine.boot(spec, context.owner, signal, { hurry });
  const channel = GuestChannel.open({ input: sandbox.input, output: sandbox.output });
  try {
    await channel.waitReady(context.bootTimeoutMs, signal);
    return { sandbox, channel };
  } catch (error) {
    const said = sandbox.diagnostics();
    channel.close();
    await sandbox.destroy().catch(() => undefined);
    signal.throwIfAborted();
    throw notReady(error, said);
  }
}

function notReady(error: unknown, said: string): HourglassError {
  const reason = error instanceof Error ? error.message : String(error);
  const diagnostics = said === '' ? '' : ` The guest said: ${said}`;
  return new HourglassError(
    'ENGINE_UNAVAILABLE',
    `A sandbox started, but its guest did not become ready: ${reason}${diagnostics}`,
    {},
    { cause: error },
  );
}
