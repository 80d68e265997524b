import { MockActivityEnvironment } from '@temporalio/testing';
import { startHeartbeat } from '../../../activities/heartbeat';
import type { HeartbeatDetails } from '../../../src/contract';
import { ExecutionProgress } from '../../../src/execution/progress';

test('a heartbeat beats at once, then by interval with the details of that moment, until it is stopped', () => {
  jest.useFakeTimers();
  try {
    const beats: HeartbeatDetails[] = [];
    const progress = new ExecutionProgress('host-1', 'e-1', 0);
    const environment = new MockActivityEnvironment();
    environment.on('heartbeat', (details: HeartbeatDetails) => beats.push(details));
    const heartbeat = startHeartbeat(environment.context, () => progress.details(), 500);
    expect(beats.map((beat) => beat.phase)).toEqual(['queued']);
    progress.enter('starting');
    jest.advanceTimersByTime(1_000);
    expect(beats.map((beat) => beat.phase)).toEqual(['queued', 'starting', 'starting']);
    heartbeat.stop();
    heartbeat.stop();
    jest.advanceTimersByTime(5_000);
    expect(beats).toHaveLength(3);
  } finally {
    jest.useRealTimers();
  }
});
