/** Where a slot of the pool stands: one sandbox from its boot to its removal. */
export type SlotState = 'starting' | 'warm' | 'leased' | 'resetting' | 'retiring' | 'broken' | 'gone';

/** Every arrow there is. A leased slot becomes warm again by a verified reset only, and for its own tenant only. */
export const SLOT_ARROWS: { readonly [From in SlotState]: readonly SlotState[] } = {
  /** Booting; the guest is not READY. `retiring`: nobody wants it any more. `broken`: it did not boot. */
  starting: ['warm', 'retiring', 'broken'],
  /** READY and waiting. `retiring`: it idled too long, gave way to another key, or died. */
  warm: ['leased', 'retiring'],
  /** One execution has it. `gone`: it goes on without this process. */
  leased: ['resetting', 'retiring', 'gone'],
  /** Its guest goes back to the state at birth. `retiring`: it could not, or is not wanted any more. */
  resetting: ['warm', 'retiring'],
  /** On its way out. */
  retiring: ['gone'],
  /** Counts toward the breaker of its runtime and preload set. */
  broken: ['gone'],
  gone: [],
};

/** The next state. Throws on an arrow that is not there: a slot's life is wrong, and so is the pool. */
export function moveSlot(from: SlotState, to: SlotState): SlotState {
  if (!SLOT_ARROWS[from].includes(to)) throw new Error(`a slot cannot go from ${from} to ${to}`);
  return to;
}
