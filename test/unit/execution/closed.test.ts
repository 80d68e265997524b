import { Readable } from 'node:stream';
import { closed } from '../../../src/execution/closed';

test.each([
  ['without an error', undefined],
  ['with the error of whoever gave it up', new Error('aborted')],
])('a stream that was destroyed %s has closed, also while it takes its time', async (_, error) => {
  let released = false;
  const stream = new Readable({
    read: () => undefined,
    destroy: (reason, done) => {
      setImmediate(() => {
        released = true;
        done(reason);
      });
    },
  });
  await closed(stream.destroy(error));
  expect(released).toBe(true);
  await closed(stream.destroy());
});
