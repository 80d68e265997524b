import { checkImage } from '../../../src/doctor/image-check';

const FITTING = 'hourglass/sandbox:0123456789ab';
const OTHER = 'registry.example:5000/sandbox:latest';

test.each([
  ['the image of this version', FITTING, { 'io.hourglass.image': '0123456789ab' }, 'pass'],
  ['an image that is not there', FITTING, undefined, 'failure'],
  ['another image under the name of this version', FITTING, { 'io.hourglass.image': 'ba9876543210' }, 'failure'],
  ['a foreign image under the name of this version', FITTING, {}, 'failure'],
  ["an operator's own image of this version", OTHER, { 'io.hourglass.image': '0123456789ab' }, 'pass'],
  ["an operator's own image of another version", OTHER, { 'io.hourglass.image': 'ba9876543210' }, 'warning'],
  ["an operator's image that is not there", OTHER, undefined, 'failure'],
])('R08: %s', (_, image, labels, status) => {
  expect(checkImage(image, labels, FITTING)).toMatchObject({
    status,
    detail: expect.stringContaining(image) as string,
  });
});
