import { fits } from '../../../infra/setup/packages.js';

const lock = {
  '': { version: '1.0.0' },
  'node_modules/a': { version: '1.0.0', integrity: 'x' },
  'node_modules/b': { version: '2.0.0', integrity: 'y', optional: true },
};

describe('whether node_modules fits the lock file', () => {
  test('it does with every package at its locked version', () => {
    expect(fits(lock, { 'node_modules/a': lock['node_modules/a'], 'node_modules/b': lock['node_modules/b'] })).toBe(
      true,
    );
  });

  test('what is optional on this platform may be missing', () => {
    expect(fits(lock, { 'node_modules/a': lock['node_modules/a'] })).toBe(true);
  });

  test('what is needed may not be missing', () => {
    expect(fits(lock, { 'node_modules/b': lock['node_modules/b'] })).toBe(false);
  });

  test.each([
    ['another version', { version: '1.0.1', integrity: 'x' }],
    ['another content', { version: '1.0.0', integrity: 'z' }],
  ])('%s does not fit', (_, installed) => {
    expect(fits(lock, { 'node_modules/a': installed })).toBe(false);
  });
});
