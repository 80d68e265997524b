const CHECK_MS = 30_000;
/** Checks that are further apart than this say nothing of the time between them: the process stood still, or the clock moved. */
const GAP_MS = 3 * CHECK_MS;

/** Since when a server has answered without a gap: what was told to it longer ago has arrived. */
export class Reachability {
  #since = 0;
  #last: number | undefined;

  /** Notes one check at `now`, in ms since 1970. */
  note(answers: boolean, now = Date.now()): void {
    if (!answers || this.#isGap(now)) this.#since = now;
    this.#last = now;
  }

  /** In ms since 1970; 0 where nobody checks, because there is no server. */
  since(now = Date.now()): number {
    return this.#last !== undefined && this.#isGap(now) ? now : this.#since;
  }

  #isGap(now: number): boolean {
    return this.#last === undefined || Math.abs(now - this.#last) > GAP_MS;
  }
}

/** Checks now and twice a minute; the result stops it. Requires: `ping` takes less than a minute. */
export function watchReachability(reachability: Reachability, ping: () => Promise<unknown>): () => void {
  const check = (): void => {
    ping().then(
      () => reachability.note(true),
      () => reachability.note(false),
    );
  };
  check();
  const timer = setInterval(check, CHECK_MS).unref();
  return () => clearInterval(timer);
}
