import { ActivitySlots } from '../../src/activity-slots';

/** Asks for so many slots and notes which of them were granted, in order. */
function reserve(slots: ActivitySlots, count: number): { granted: number[]; aborts: AbortController[] } {
  const granted: number[] = [];
  const aborts = Array.from({ length: count }, () => new AbortController());
  aborts.forEach(({ signal }, number) => {
    slots.reserveSlot({}, signal).then(
      () => granted.push(number),
      () => undefined,
    );
  });
  return { granted, aborts };
}

/** Lets everything that is settled be heard of. */
const heard = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('as many are granted as there are, in the order in which they were asked for', async () => {
  const slots = new ActivitySlots(
    () => 2,
    () => true,
  );
  const { granted } = reserve(slots, 4);
  await heard();
  expect(granted).toEqual([0, 1]);
  slots.releaseSlot();
  await heard();
  expect(granted).toEqual([0, 1, 2]);
});

test('while it may not ask, nothing is granted; look grants what was held back', async () => {
  let mayAsk = false;
  const slots = new ActivitySlots(
    () => 5,
    () => mayAsk,
  );
  const { granted } = reserve(slots, 2);
  await heard();
  expect(granted).toEqual([]);
  mayAsk = true;
  slots.look();
  await heard();
  expect(granted).toEqual([0, 1]);
});

test('a request that is given up takes no slot, and fails with the reason of its signal', async () => {
  const slots = new ActivitySlots(
    () => 1,
    () => true,
  );
  const { granted, aborts } = reserve(slots, 3);
  aborts[1]?.abort();
  slots.releaseSlot();
  await heard();
  expect(granted).toEqual([0, 2]);
  const reason = new Error('no longer needed');
  await expect(slots.reserveSlot({}, AbortSignal.abort(reason))).rejects.toBe(reason);
  slots.releaseSlot();
  const next = reserve(slots, 1);
  await heard();
  expect(next.granted).toEqual([0]);
});

test('nothing comes past the queue', () => {
  expect(
    new ActivitySlots(
      () => 1,
      () => true,
    ).tryReserveSlot(),
  ).toBeNull();
});
