import { moveSlot, SLOT_ARROWS, type SlotState } from '../../../src/pool/slot-state';

const STATES = Object.keys(SLOT_ARROWS) as SlotState[];
const PAIRS = STATES.flatMap((from) => STATES.map((to) => [from, to] as const));

test.each(PAIRS.filter(([from, to]) => SLOT_ARROWS[from].includes(to)))('a slot goes from %s to %s', (from, to) => {
  expect(moveSlot(from, to)).toBe(to);
});

test.each(PAIRS.filter(([from, to]) => !SLOT_ARROWS[from].includes(to)))(
  'a slot cannot go from %s to %s',
  (from, to) => {
    expect(() => moveSlot(from, to)).toThrow(`a slot cannot go from ${from} to ${to}`);
  },
);

test('a leased slot becomes warm again by a reset only', () => {
  const withoutReset = new Set<SlotState>(['leased']);
  for (const state of withoutReset) {
    for (const next of SLOT_ARROWS[state]) if (next !== 'resetting') withoutReset.add(next);
  }
  expect([...withoutReset]).toEqual(['leased', 'retiring', 'gone']);
});

test('every state leads to gone', () => {
  for (const start of STATES) {
    const reachable = new Set<SlotState>([start]);
    for (const state of reachable) for (const next of SLOT_ARROWS[state]) reachable.add(next);
    expect(reachable).toContain('gone');
  }
});
