import { startHeartbeat } from '../../../activities/heartbeat';
import type { HeartbeatDetails } from '../../../src/contract';
import { ExecutionProgress } from '../../../src/execution/progress';

test('a heartbeat beats at once, then by interval with the details of that moment, until it is stopped', () => {
  jest.useFakeTimers();
  try {
    const beats: HeartbeatDetails[] = [];
    const progress = new ExecutionProgress('host-1', 'e-1', 0);
    const context = { heartbeat: (details: unknown) => void beats.push(details as HeartbeatDetails) };
    const heartbeat = startHeartbeat(context, () => progress.details(), 500);
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
