import { HourglassError } from '../contract';
import type { Sandbox, SandboxSpec } from '../engine/engine';
import { sandboxKey } from '../engine/sandbox-spec';
import { allotWarm, isInUse, mayRefill, poolKey, type PoolKey } from './pool-key';
import type { LeasedSandbox, PoolOptions } from './pool-options';
import { PoolCounters, type PoolStats, type StartKind } from './pool-stats';
import { settledBefore } from './settle';
import { Slot, type Booted } from './slot';
import { Slots } from './slots';

/** A guest is told this many times a lease that its owner lives. */
const RENEWALS_PER_LEASE = 4;
const SWEEP_MS = 15_000;
/** A refill waits for the run that made it necessary: most are over by then. */
const REFILL_DELAY_MS = 200;

/**
 * Sandboxes that are booted and wait. Each is leased once and destroyed after it; the pool boots the next in advance.
 *
 * A lease that finds none waits for a boot by the same code. Timers of the pool do not keep the process alive.
 */
export class WarmPool {
  readonly #options: PoolOptions;
  readonly #keys = new Map<string, PoolKey>();
  readonly #slots = new Slots();
  readonly #counters = new PoolCounters();
  readonly #timers: NodeJS.Timeout[] = [];
  #refillTimer: NodeJS.Timeout | undefined;
  #closed = false;
  #onQuiet: (() => void) | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Begins to warm, to renew and to forget what idles. */
  start(): void {
    for (const spec of this.#options.prewarm) {
      const key = poolKey(spec, true, Date.now());
      this.#keys.set(key.id, key);
    }
    const { leaseMs } = this.#options;
    this.#timers.push(setInterval(() => this.#renew(), leaseMs / RENEWALS_PER_LEASE).unref());
    this.#timers.push(setInterval(() => this.#sweep(), SWEEP_MS).unref());
    this.#balance();
  }

  /**
   * Hands out a sandbox that matches the spec: one that waits, else one that boots.
   *
   * Ensures: the sandbox belongs to the caller alone until `release`. Rejects with HourglassError ENGINE_UNAVAILABLE,
   * WORKER_SHUTDOWN once the pool drains, or the signal's reason.
   */
  async lease(spec: SandboxSpec, signal: AbortSignal): Promise<LeasedSandbox> {
    signal.throwIfAborted();
    if (this.#closed) throw new HourglassError('WORKER_SHUTDOWN', 'The worker is stopping: no sandbox is started.');
    const key = this.#use(spec);
    const warm = this.#slots.find((slot) => slot.key === key.id && slot.isIdle && slot.isAlive);
    if (warm !== undefined) return this.#handOver(warm, 'warm');
    const starting = this.#slots.find((slot) => slot.key === key.id && slot.isUnclaimedStart);
    if (starting === undefined) return this.#awaitBoot(this.#boot(key, true), signal);
    return this.#awaitBoot(starting, signal).catch((error: unknown) => {
      // A boot in advance that fails is no answer: the caller's own boot says what is wrong.
      if (signal.aborted || this.#closed) throw error;
      return this.#awaitBoot(this.#boot(key, true), signal);
    });
  }

  /** Destroys a leased sandbox, always. Never rejects: what cannot be removed now is left to the reaper, and logged. */
  async release(sandbox: Sandbox): Promise<void> {
    const slot = this.#slots.find((candidate) => candidate.sandbox === sandbox);
    if (slot !== undefined) await this.#retire(slot);
    this.#balance();
  }

  /** Whether the pool answers for this container. */
  holds(containerId: string): boolean {
    return this.#slots.find((slot) => slot.sandbox?.containerId === containerId) !== undefined;
  }

  stats(): PoolStats {
    return this.#counters.snapshot(this.#slots, this.#keys.size);
  }

  /** Stops warming, waits at most `graceMs` for leased sandboxes, and destroys all that is left. Never rejects. */
  async drain(graceMs: number): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#refillTimer);
    this.#balance();
    await this.#quiet(graceMs);
    await Promise.all([...this.#slots].map((slot) => this.#retire(slot)));
  }

  #use(spec: SandboxSpec): PoolKey {
    const now = Date.now();
    const id = sandboxKey(spec);
    const key = this.#keys.get(id) ?? poolKey(spec, false, now);
    key.lastUsedAt = now;
    this.#keys.set(id, key);
    return key;
  }

  #boot(key: PoolKey, onDemand: boolean): Slot {
    const slot = new Slot(key.id, key.spec, onDemand, this.#options, Date.now());
    this.#slots.add(slot);
    slot.ready.then(
      (booted) => this.#onBooted(key, slot, booted),
      (error: unknown) => this.#onBootFailed(key, slot, error),
    );
    return slot;
  }

  #onBooted(key: PoolKey, slot: Slot, { sandbox }: Booted): void {
    key.failures = 0;
    this.#counters.boots += 1;
    this.#counters.lastBootMs = Date.now() - slot.bornAt;
    // The output would not do: nobody reads it now, so it does not come to its end.
    sandbox.input.once('close', () => this.#onDied(slot));
    if (!slot.claimed) this.#balance();
  }

  #onBootFailed(key: PoolKey, slot: Slot, error: unknown): void {
    if (!slot.wasAbandoned) {
      this.#forget(slot);
      this.#counters.bootFailures += 1;
      key.failures += 1;
      key.failedAt = Date.now();
      const facts = { key: key.id, runtime: key.spec.runtime, failures: key.failures, error };
      this.#options.log.warn(facts, 'a sandbox did not boot');
    }
    this.#balance();
  }

  #onDied(slot: Slot): void {
    if (slot.state !== 'warm') return;
    this.#counters.deaths += 1;
    const facts = { sandbox: slot.sandbox?.name, said: slot.sandbox?.diagnostics() };
    this.#options.log.warn(facts, 'a warm sandbox died while it waited');
    void this.#retire(slot);
    this.#refillSoon();
  }

  async #awaitBoot(slot: Slot, signal: AbortSignal): Promise<LeasedSandbox> {
    slot.claimed = true;
    try {
      await settledBefore(slot.ready, signal);
      if (slot.state !== 'warm') throw new HourglassError('ENGINE_UNAVAILABLE', 'A sandbox died right after its boot.');
      return this.#handOver(slot, 'cold');
    } catch (error) {
      // Not wanted by this caller any more; kept where the pool would boot one like it anyway.
      slot.claimed = false;
      this.#balance();
      throw error;
    }
  }

  #handOver(slot: Slot, startKind: StartKind): LeasedSandbox {
    const booted = slot.lease();
    this.#counters.leases[startKind] += 1;
    this.#refillSoon();
    return { ...booted, startKind };
  }

  #refillSoon(): void {
    if (this.#closed) return;
    this.#refillTimer ??= setTimeout(() => {
      this.#refillTimer = undefined;
      this.#balance();
    }, REFILL_DELAY_MS).unref();
  }

  /** Gives up what is more than allotted, and boots what is missing as far as boots in advance may go on now. */
  #balance(): void {
    const now = Date.now();
    const allotted = this.#closed ? new Map<string, number>() : allotWarm(this.#keys.values(), this.#options, now);
    for (const id of this.#keys.keys()) this.#trim(id, allotted.get(id) ?? 0);
    for (const [id, wanted] of allotted) {
      const key = this.#keys.get(id);
      if (key === undefined || !mayRefill(key, now)) continue;
      const missing = (key.failures === 0 ? wanted : 1) - this.#slots.waiting(id).length;
      for (let boots = 0; boots < missing && this.#mayBootInAdvance(); boots += 1) this.#boot(key, false);
    }
  }

  #trim(id: string, wanted: number): void {
    const waiting = this.#slots.waiting(id);
    for (const slot of waiting.slice(0, Math.max(0, waiting.length - wanted))) {
      if (slot.isIdle) this.#counters.evictions += 1;
      void this.#retire(slot);
    }
  }

  /** A lease that waits for its own boot needs the processors more. */
  #mayBootInAdvance(): boolean {
    return !this.#slots.isAwaited && this.#slots.starting < this.#options.parallelBoots;
  }

  async #retire(slot: Slot): Promise<void> {
    try {
      await slot.retire();
    } catch (error) {
      this.#options.log.warn({ sandbox: slot.sandbox?.name, error }, 'a sandbox could not be removed; the reaper will');
    } finally {
      this.#forget(slot);
    }
  }

  #forget(slot: Slot): void {
    this.#slots.delete(slot);
    if (!this.#slots.isBusy) this.#onQuiet?.();
  }

  #renew(): void {
    for (const slot of this.#slots) {
      // A leased guest, too: its run may last longer than a lease.
      if (slot.state !== 'warm' && slot.state !== 'leased') continue;
      slot.renew(this.#options.leaseMs).catch(() => this.#onDied(slot));
    }
  }

  #sweep(): void {
    const now = Date.now();
    this.#balance();
    for (const key of this.#keys.values()) {
      if (!isInUse(key, now) && !this.#slots.find((slot) => slot.key === key.id)) this.#keys.delete(key.id);
    }
  }

  async #quiet(graceMs: number): Promise<void> {
    if (!this.#slots.isBusy) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#onQuiet = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
