import { Cleanup } from '../../../src/cli/cleanup';

test('steps are taken the last one first', async () => {
  const order: number[] = [];
  const cleanup = new Cleanup();
  for (const step of [1, 2, 3]) cleanup.add(() => order.push(step));
  await cleanup.run();
  expect(order).toEqual([3, 2, 1]);
});

test('a step that fails does not keep the others from being taken', async () => {
  const order: number[] = [];
  const cleanup = new Cleanup();
  cleanup.add(() => order.push(1));
  cleanup.add(() => Promise.reject(new Error('no')));
  await expect(cleanup.run()).rejects.toThrow('no');
  expect(order).toEqual([1]);
});
