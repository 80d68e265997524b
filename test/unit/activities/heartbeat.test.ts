import { MockActivityEnvironment } from '@temporalio/testing';
import { startHeartbeat, startLater } from '../../../activities/heartbeat';
import type { HeartbeatDetails, Phase } from '../../../src/contract';
import { ExecutionProgress } from '../../../src/execution/progress';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Phases that the beats of an activity name, as they come. */
function begin(start: typeof startHeartbeat): {
  readonly phases: Phase[];
  readonly progress: ExecutionProgress;
  readonly heartbeat: ReturnType<typeof startHeartbeat>;
} {
  const phases: Phase[] = [];
  const progress = new ExecutionProgress('host-1', 'e-1', 0);
  const environment = new MockActivityEnvironment();
  environment.on('heartbeat', ({ phase }: HeartbeatDetails) => phases.push(phase));
  return { phases, progress, heartbeat: start(environment.context, () => progress.details(), 500) };
}

test('a heartbeat beats at once, then by interval with the details of that moment, until it is stopped', () => {
  const { phases, progress, heartbeat } = begin(startHeartbeat);
  expect(phases).toEqual(['queued']);
  progress.enter('starting');
  jest.advanceTimersByTime(1_000);
  expect(phases).toEqual(['queued', 'starting', 'starting']);
  heartbeat.stop();
  heartbeat.stop();
  jest.advanceTimersByTime(5_000);
  expect(phases).toHaveLength(3);
});

test('one that starts later says nothing of what is over within an interval', () => {
  const { phases, progress, heartbeat } = begin(startLater);
  jest.advanceTimersByTime(499);
  expect(phases).toEqual([]);
  progress.enter('running');
  jest.advanceTimersByTime(1);
  expect(phases).toEqual(['running']);
  heartbeat.stop();
  jest.advanceTimersByTime(5_000);
  expect(phases).toHaveLength(1);
});
