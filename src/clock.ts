/** A moment by two clocks of this machine: the one on the wall, which may be moved, and one that runs evenly since its start. */
export interface Moment {
  /** Since 1970, in ms. */
  readonly wallMs: number;
  readonly evenMs: number;
}

/** Ms by a clock that nobody moves, the same for all processes of this machine. */
export function evenMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

export function moment(): Moment {
  return { wallMs: Date.now(), evenMs: evenMs() };
}

/**
 * Now, as the wall clock would show it had nobody moved it since `then`; as it shows it (`wallMs`) where nothing is known of then,
 * or the machine was started anew.
 */
export function nowSince(then: Moment | undefined, wallMs = Date.now()): number {
  const passedMs = then === undefined ? -1 : evenMs() - then.evenMs;
  return then === undefined || passedMs < 0 ? wallMs : then.wallMs + passedMs;
}
