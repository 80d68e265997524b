import { reaches } from '../../../src/doctor/floors';

const FLOORS = ['1.2.8', '1.3.3', '1.4.0'];

test.each([
  ['1.2.8', true],
  ['1.2.10', true],
  ['1.2.7', false],
  ['1.3.2', false],
  ['1.3.3-rc1', true],
  ['1.4', true],
  ['1.4.0~rc2', true],
  ['1.10.0', true],
  ['2', true],
  ['1.1.99', false],
  ['1.1.5+ds1', false],
  ['v1.3.9', true],
])('R46: version %s has what was fixed in several series: %s', (version, expected) => {
  expect(reaches(version, FLOORS)).toBe(expected);
});

test('what is no version is not judged', () => {
  expect(reaches('unknown', FLOORS)).toBeUndefined();
});
