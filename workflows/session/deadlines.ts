const DAY_MS = 86_400_000;

/** When a session ends by itself. */
export class Deadlines {
  #lastUsedAt: number;
  #expiresAt: number | undefined;
  #idleTtlMs: number | undefined;
  #drainsAt: number | undefined;
  #changes = 0;

  constructor(
    readonly openedAt: number,
    lastUsedAt: number,
    expiresAt: number | undefined,
    idleTtlMs: number | undefined,
    drainsAt?: number,
  ) {
    this.#lastUsedAt = lastUsedAt;
    this.#expiresAt = expiresAt;
    this.#idleTtlMs = idleTtlMs;
    this.#drainsAt = drainsAt;
  }

  get lastUsedAt(): number {
    return this.#lastUsedAt;
  }

  /** Undefined before its host has said how long it may last. */
  get expiresAt(): number | undefined {
    return this.#expiresAt;
  }

  /** When its host is to be empty; undefined where it is not drained. */
  get drainsAt(): number | undefined {
    return this.#drainsAt;
  }

  get idleTtlMs(): number | undefined {
    return this.#idleTtlMs;
  }

  /** Changes whenever one of them comes nearer: whoever waits for one looks again. */
  get changes(): number {
    return this.#changes;
  }

  get isExpired(): boolean {
    return this.#expiresAt !== undefined && Date.now() >= this.#expiresAt;
  }

  get isDrained(): boolean {
    return this.#drainsAt !== undefined && Date.now() >= this.#drainsAt;
  }

  /** The host is to be empty at that time; undefined: it is not drained any more. */
  drain(at: number | undefined): void {
    // Nobody is woken for nothing: sessions of before would go another way than they went.
    if (at === this.#drainsAt) return;
    this.#drainsAt = at;
    this.#changes += 1;
  }

  /** Counts the time without a call from now on. A later deadline wakes nobody: whoever waits looks again at the earlier one. */
  touch(): void {
    this.#lastUsedAt = Date.now();
  }

  /** What the host says, where nothing else was asked for. */
  fill({ idleTtlMs, ttlMs }: { readonly idleTtlMs: number; readonly ttlMs: number }): void {
    this.#idleTtlMs ??= idleTtlMs;
    this.#expiresAt ??= this.openedAt + ttlMs;
    this.#changes += 1;
  }

  /** As `touch`, with another time that it may be idle. */
  renew(idleTtlMs: number | undefined): void {
    this.touch();
    this.#idleTtlMs = idleTtlMs ?? this.#idleTtlMs;
    this.#changes += 1;
  }

  /** Until the next of them, in ms; a session at work is not idle. */
  msLeft(isIdle: boolean): number {
    const untilExpiry = Math.min(this.#expiresAt ?? Infinity, this.#drainsAt ?? Infinity) - Date.now();
    // Before its host has answered nobody knows how long it may be idle.
    const idleTtlMs = this.#idleTtlMs ?? DAY_MS;
    const untilIdle = isIdle ? this.#lastUsedAt + idleTtlMs - Date.now() : idleTtlMs;
    return Math.min(untilExpiry, untilIdle);
  }
}
