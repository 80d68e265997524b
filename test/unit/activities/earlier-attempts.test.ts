import type { Info } from '@temporalio/activity';
import { earlierAttempts } from '../../../activities/earlier-attempts';
import { ExecutionProgress } from '../../../src/execution/progress';

const beat = (facts: object): object => ({ ...new ExecutionProgress('host-1', 'e-1', 0).details(), ...facts });
const after = (attempt: number, heartbeatDetails?: object) => earlierAttempts({ attempt, heartbeatDetails } as Info);

test('a first attempt has nothing before it; after a reset it has what was heard, and nothing that counts', () => {
  const nothing = { failures: 0, outages: 0 };
  expect(after(1)).toEqual({ ...nothing, isCutOff: false });
  expect(after(1, beat({ attempt: 3, failures: 2 }))).toEqual({ ...nothing, isCutOff: true });
  const left = beat({ attempt: 3, failures: 2, end: 'left', checkpoint: 7 });
  expect(after(1, left)).toEqual({ ...nothing, isCutOff: false, checkpoint: 7 });
});

test.each([
  ['failed', { attempt: 2, failures: 2, end: 'failed' }, { failures: 2, outages: 0, isCutOff: false }],
  ['found something away', { attempt: 2, outages: 4, end: 'failed' }, { failures: 0, outages: 4, isCutOff: false }],
  ['left', { attempt: 2, failures: 1, end: 'left' }, { failures: 1, outages: 0, isCutOff: false }],
  ['was cut off', { attempt: 2, failures: 1 }, { failures: 1, outages: 0, isCutOff: true }],
  ['ran in a version that did not count', { attempt: undefined }, { failures: 0, outages: 0, isCutOff: true }],
])('an attempt before that %s', (_, facts, known) => {
  expect(after(3, beat(facts))).toEqual(known);
});

test('attempts that nobody heard of have failed', () => {
  expect(after(4, beat({ attempt: 1, failures: 1, end: 'failed' }))).toEqual({
    failures: 3,
    outages: 0,
    isCutOff: false,
  });
  expect(after(3)).toEqual({ failures: 2, outages: 0, isCutOff: false });
  expect(after(3, { v: 9 })).toEqual({ failures: 2, outages: 0, isCutOff: false });
});
