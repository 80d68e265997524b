import type { SandboxSpec } from '../engine/engine';

/** Boots that fail in a row before the pool stops booting in advance. */
export const BREAKER_FAILURES = 3;
/** How long what does not boot is left alone. */
export const BREAKER_MS = 60_000;

/** Keeps a runtime with a preload set that does not boot from being booted again and again, for whatever limits. */
export class Breaker {
  #failures = 0;
  #failedAt = 0;

  /** Boots that failed since the last one that did not. */
  get failures(): number {
    return this.#failures;
  }

  noteFailure(now: number): void {
    this.#failures += 1;
    this.#failedAt = now;
  }

  noteBoot(): void {
    this.#failures = 0;
  }

  /** Whether there may be boots in advance: after too many failures they rest, and then get one try at a time. */
  mayBoot(now: number): boolean {
    return this.#failures < BREAKER_FAILURES || now - this.#failedAt >= BREAKER_MS;
  }
}

/** Equal for specs that boot from the same: where one does not boot, neither does the other. */
export function breakerKey({ runtime, preload }: SandboxSpec): string {
  return JSON.stringify([runtime, preload]);
}
