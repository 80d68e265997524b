import path from 'node:path';
import { cacheFolder, packageRoot } from '../../../infra/setup/root.js';

test('the package is found by its name, from below', () => {
  expect(packageRoot()).toBe(path.resolve(__dirname, '../../..'));
});

test.each([
  [{ HOURGLASS_CACHE_DIR: '/c', XDG_CACHE_HOME: '/x' }, '/c'],
  [{ XDG_CACHE_HOME: '/x' }, '/x/hourglass'],
])('the cache of %j is %s', (env, folder) => {
  expect(cacheFolder(env)).toBe(folder);
});
