import { placesOf } from '../../../src/config/places';

test('macOS keeps data below the library folder of the user', () => {
  expect(placesOf({ HOME: '/Users/ada' }, 'darwin').data).toBe('/Users/ada/Library/Application Support/hourglass');
});

test('Windows keeps data below the local application data', () => {
  expect(placesOf({ HOME: 'C:/Users/ada', LOCALAPPDATA: 'C:/Local' }, 'win32').data).toMatch(/^C:.Local.hourglass$/);
});

test('the cache is the folder that set-up uses, on every platform', () => {
  const caches = (['linux', 'darwin', 'win32'] as const).map((platform) => placesOf({ HOME: '/h' }, platform).cache);
  expect(new Set(caches)).toEqual(new Set(['/h/.cache/hourglass']));
});
