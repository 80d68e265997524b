import { onShutdownSignal } from '../../src/shutdown';
import { SILENT } from '../../src/telemetry/log';

test('the first signal stops in order, the second one ends the process with its number', () => {
  const done: string[] = [];
  const release = onShutdownSignal({
    stop: () => void done.push('stop'),
    log: SILENT,
    exit: (code) => void done.push(`exit ${code}`),
  });
  process.emit('SIGTERM', 'SIGTERM');
  process.emit('SIGINT', 'SIGINT');
  expect(done).toEqual(['stop', 'exit 130']);
  release();
});

test('released handlers are off', () => {
  const before = process.listenerCount('SIGTERM');
  const release = onShutdownSignal({ stop: () => undefined, log: SILENT });
  expect(process.listenerCount('SIGTERM')).toBe(before + 1);
  release();
  expect(process.listenerCount('SIGTERM')).toBe(before);
});
