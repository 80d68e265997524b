import type { Engine, SandboxSpec } from '../engine/engine';
import { sandboxKey } from '../engine/sandbox-spec';
import { Breaker, breakerKey } from './breaker';
import { isInUse, noteUse, poolKey, type PoolKey } from './pool-key';

/** The kinds of sandboxes that a pool knows, by id. */
export class PoolKeys implements Iterable<PoolKey> {
  readonly #keys = new Map<string, PoolKey>();

  constructor(private readonly engine: Pick<Engine, 'idleMemoryMb'>) {}

  [Symbol.iterator](): Iterator<PoolKey> {
    return this.#keys.values();
  }

  get size(): number {
    return this.#keys.size;
  }

  get(id: string): PoolKey | undefined {
    return this.#keys.get(id);
  }

  /** Memory that a sandbox of this kind holds while it waits, in MB. */
  idleMb(spec: SandboxSpec): number {
    return this.engine.idleMemoryMb(spec);
  }

  /** Keeps a kind warm whether it is used or not. */
  pin(spec: SandboxSpec): void {
    this.#add(spec, true);
  }

  /** Notes that a sandbox of this kind is taken. */
  use(spec: SandboxSpec): PoolKey {
    const key = this.#keys.get(sandboxKey(spec)) ?? this.#add(spec, false);
    noteUse(key, Date.now());
    return key;
  }

  /** Forgets kinds that nobody uses, but for those that are held. */
  forgetIdle(isHeld: (id: string) => boolean): void {
    const now = Date.now();
    for (const key of this.#keys.values()) if (!isInUse(key, now) && !isHeld(key.id)) this.#keys.delete(key.id);
  }

  #add(spec: SandboxSpec, pinned: boolean): PoolKey {
    const alike = [...this].find((key) => breakerKey(key.spec) === breakerKey(spec));
    const breaker = alike?.breaker ?? new Breaker();
    const key = poolKey({ spec, idleMb: this.idleMb(spec), pinned, breaker }, Date.now());
    this.#keys.set(key.id, key);
    return key;
  }
}
