import { HourglassError } from '../contract';
import type { Sandbox, SandboxSpec } from '../engine/engine';
import { sandboxKey } from '../engine/sandbox-spec';
import { settledBefore } from '../settle';
import { noteBoot, type PoolKey } from './pool-key';
import { PoolKeys } from './pool-keys';
import type { LeasedSandbox, PoolOptions } from './pool-options';
import { PoolCounters, type PoolStats, type StartKind } from './pool-stats';
import { findOwn, isWorn } from './reuse';
import { boot, Slot, type Boot, type Booted } from './slot';
import { Slots } from './slots';
import { Stock } from './stock';

/** A guest is told this many times a lease that its owner lives. */
const RENEWALS_PER_LEASE = 4;
const SWEEP_MS = 15_000;
/** Longest wait for a guest to be as it was born. */
const RESET_MS = 10_000;

/**
 * Sandboxes that are booted and wait. Each is leased once and destroyed after it, unless its lessee names a tenant, whom
 * it then serves again after a verified reset. The pool boots the next in advance, as many as are used meanwhile.
 *
 * A lease that finds none waits for a boot by the same code. Timers of the pool do not keep the process alive.
 */
export class WarmPool {
  readonly #options: PoolOptions;
  readonly #keys: PoolKeys;
  readonly #slots = new Slots();
  readonly #counters = new PoolCounters();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #stock: Stock;
  #closed = false;
  #onQuiet: (() => void) | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#keys = new PoolKeys(options.engine);
    this.#stock = new Stock({
      ...options,
      keys: this.#keys,
      slots: this.#slots,
      boot: (key) => this.#boot(key, false),
      retire: (slot) => void this.#retire(slot),
      onEviction: () => (this.#counters.evictions += 1),
    });
  }

  /** Begins to warm, to renew and to forget what idles. */
  start(): void {
    for (const spec of this.#options.prewarm) this.#keys.pin(spec);
    const { leaseMs } = this.#options;
    this.#timers.push(setInterval(() => this.#renew(), leaseMs / RENEWALS_PER_LEASE).unref());
    this.#timers.push(setInterval(() => this.#sweep(), SWEEP_MS).unref());
    this.#stock.balance();
  }

  /**
   * Hands out a sandbox that matches the spec: one that waits, else one that boots.
   *
   * Ensures: the sandbox belongs to the caller alone until `release` or `recycle`, and has run no code but `tenant`'s.
   * Rejects with HourglassError ENGINE_UNAVAILABLE,
   * WORKER_SHUTDOWN once the pool drains, or the signal's reason.
   */
  async lease(spec: SandboxSpec, signal: AbortSignal, tenant?: string): Promise<LeasedSandbox> {
    signal.throwIfAborted();
    if (this.#closed) throw new HourglassError('WORKER_SHUTDOWN', 'The worker is stopping: no sandbox is started.');
    const own = tenant === undefined ? undefined : await this.#leaseAgain(spec, tenant, signal);
    return own ?? this.#leaseUnused(this.#keys.use(spec), tenant, signal);
  }

  /** Destroys a leased sandbox, always. Never rejects: what cannot be removed now is left to the reaper, and logged. */
  async release(sandbox: Sandbox): Promise<void> {
    const slot = this.#slots.find((candidate) => candidate.sandbox === sandbox);
    if (slot !== undefined) await this.#retire(slot);
    this.#stock.balance();
  }

  /**
   * Takes a leased sandbox back for the next run of its tenant, or destroys it where that cannot be. Never rejects.
   *
   * Requires: its run has ended, and its files were collected.
   */
  async recycle(sandbox: Sandbox): Promise<void> {
    const slot = this.#slots.find((candidate) => candidate.sandbox === sandbox);
    if (slot === undefined) return;
    const { reuse, log } = this.#options;
    if (this.#closed || slot.tenant === undefined || isWorn(slot, reuse, Date.now())) return this.release(sandbox);
    try {
      await slot.reset(RESET_MS);
    } catch (error) {
      log.info({ sandbox: sandbox.name, error }, 'a sandbox is not used again');
      await this.release(sandbox);
    }
    if (!this.#slots.isBusy) this.#onQuiet?.();
    this.#stock.dropSurplus();
  }

  /**
   * Takes in a sandbox that this pool did not boot, leased to the caller from the start. Rejects with what `take` rejects
   * with, WORKER_SHUTDOWN once the pool drains, or the signal's reason.
   */
  async adopt(spec: SandboxSpec, take: Boot, signal: AbortSignal): Promise<Booted> {
    if (this.#closed) throw new HourglassError('WORKER_SHUTDOWN', 'The worker is stopping: no sandbox is taken over.');
    const slot = new Slot(sandboxKey(spec), spec, true, take, Date.now());
    this.#slots.add(slot);
    try {
      await settledBefore(slot.ready, signal);
      return slot.lease(undefined);
    } catch (error) {
      await this.#retire(slot);
      throw error;
    }
  }

  /** Lets go of a leased sandbox, whose program goes on: the next attempt at it, here or in another process, takes it over. */
  detach(sandbox: Sandbox): void {
    const slot = this.#slots.find((candidate) => candidate.sandbox === sandbox);
    if (slot === undefined) return;
    slot.detach();
    this.#forget(slot);
    this.#stock.balance();
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
    this.#stock.close();
    await this.#quiet(graceMs);
    await Promise.all([...this.#slots].map((slot) => this.#retire(slot)));
  }

  async #leaseUnused(key: PoolKey, tenant: string | undefined, signal: AbortSignal): Promise<LeasedSandbox> {
    const warm = this.#slots.find((slot) => slot.key === key.id && slot.isIdle && slot.isAlive);
    if (warm !== undefined) return this.#handOver(warm, 'warm', tenant);
    const starting = this.#slots.find((slot) => slot.key === key.id && slot.isUnclaimedStart);
    if (starting === undefined) return this.#awaitBoot(this.#boot(key, true), tenant, signal);
    return this.#awaitBoot(starting, tenant, signal).catch((error: unknown) => {
      // A boot in advance that fails is no answer: the caller's own boot says what is wrong.
      if (signal.aborted || this.#closed) throw error;
      return this.#awaitBoot(this.#boot(key, true), tenant, signal);
    });
  }

  /** A sandbox that has served this tenant before; undefined where none is or comes back. */
  async #leaseAgain(spec: SandboxSpec, tenant: string, signal: AbortSignal): Promise<LeasedSandbox | undefined> {
    const slot = findOwn(this.#slots, { key: sandboxKey(spec), tenant }, this.#options.reuse, Date.now());
    if (slot === undefined) return undefined;
    if (slot.isKept) return this.#handOver(slot, 'reused', tenant);
    slot.claimed = true;
    try {
      await settledBefore(slot.returned, signal);
      return this.#handOver(slot, 'reused', tenant);
    } catch {
      slot.claimed = false;
      signal.throwIfAborted();
      return undefined;
    }
  }

  #boot(key: PoolKey, onDemand: boolean): Slot {
    const make: Boot = (signal) => boot(this.#options, key.spec, signal, onDemand);
    const slot = new Slot(key.id, key.spec, onDemand, make, Date.now());
    this.#slots.add(slot);
    slot.ready.then(
      (booted) => this.#onBooted(key, slot, booted),
      (error: unknown) => this.#onBootFailed(key, slot, error),
    );
    return slot;
  }

  #onBooted(key: PoolKey, slot: Slot, { sandbox }: Booted): void {
    const tookMs = Date.now() - slot.bornAt;
    noteBoot(key, tookMs);
    this.#counters.boots += 1;
    this.#counters.lastBootMs = tookMs;
    // The output would not do: nobody reads it now, so it does not come to its end.
    sandbox.input.once('close', () => this.#onDied(slot));
    if (!slot.claimed) this.#stock.balance();
  }

  #onBootFailed(key: PoolKey, slot: Slot, error: unknown): void {
    if (!slot.wasAbandoned) {
      this.#forget(slot);
      this.#counters.bootFailures += 1;
      key.breaker.noteFailure(Date.now());
      const facts = { key: key.id, runtime: key.spec.runtime, failures: key.breaker.failures, error };
      this.#options.log.warn(facts, 'a sandbox did not boot');
    }
    this.#stock.balance();
  }

  #onDied(slot: Slot): void {
    if (slot.state !== 'warm') return;
    this.#counters.deaths += 1;
    const facts = { sandbox: slot.sandbox?.name, said: slot.sandbox?.diagnostics() };
    this.#options.log.warn(facts, 'a warm sandbox died while it waited');
    void this.#retire(slot);
    this.#stock.balanceSoon();
  }

  async #awaitBoot(slot: Slot, tenant: string | undefined, signal: AbortSignal): Promise<LeasedSandbox> {
    slot.claimed = true;
    try {
      await settledBefore(slot.ready, signal);
      if (slot.state !== 'warm') throw new HourglassError('ENGINE_UNAVAILABLE', 'A sandbox died right after its boot.');
      return this.#handOver(slot, 'cold', tenant);
    } catch (error) {
      // Not wanted by this caller any more; kept where the pool would boot one like it anyway.
      slot.claimed = false;
      this.#stock.balance();
      throw error;
    }
  }

  #handOver(slot: Slot, startKind: StartKind, tenant: string | undefined): LeasedSandbox {
    const booted = slot.lease(tenant);
    this.#counters.leases[startKind] += 1;
    if (startKind !== 'reused') this.#stock.balanceSoon();
    return { ...booted, startKind };
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
      if (slot.state !== 'warm' && slot.state !== 'leased' && slot.state !== 'resetting') continue;
      slot.renew(this.#options.leaseMs).catch(() => this.#onDied(slot));
    }
  }

  #sweep(): void {
    this.#stock.balance();
    this.#keys.forgetIdle((id) => this.#slots.find((slot) => slot.key === id) !== undefined);
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
