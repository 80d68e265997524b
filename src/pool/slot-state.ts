/** Where a slot of the pool stands: one sandbox from its boot to its removal. */
export type SlotState = 'starting' | 'warm' | 'leased' | 'retiring' | 'broken' | 'gone';

/** Every arrow there is. A leased slot never becomes warm again: it ran the code of somebody. */
export const SLOT_ARROWS: { readonly [From in SlotState]: readonly SlotState[] } = {
  /** Booting; the guest is not READY. `retiring`: nobody wants it any more. `broken`: it did not boot. */
  starting: ['warm', 'retiring', 'broken'],
  /** READY and waiting. `retiring`: it idled too long, gave way to another key, or died. */
  warm: ['leased', 'retiring'],
  /** One execution has it. */
  leased: ['retiring'],
  /** On its way out. */
  retiring: ['gone'],
  /** Counts toward the breaker of its key. */
  broken: ['gone'],
  gone: [],
};

/** The next state. Throws on an arrow that is not there: a slot's life is wrong, and so is the pool. */
export function moveSlot(from: SlotState, to: SlotState): SlotState {
  if (!SLOT_ARROWS[from].includes(to)) throw new Error(`a slot cannot go from ${from} to ${to}`);
  return to;
}
