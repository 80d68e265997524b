import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { WorkerRecord } from '../../../src/leases/lease-store';
import { isLiving, UNSEEN_MS } from '../../../src/leases/liveness';

const NOW = 1_700_000_000_000;
const record = (pid: number, seenMsAgo = 0): WorkerRecord => {
  return { v: 1, workerId: 'worker', hostId: 'host', pid, startedAt: 0, seenAt: NOW - seenMsAgo };
};

test('a worker whose process runs lives, and is dead as soon as it does not', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const { pid = 0 } = child;
  expect(isLiving(record(pid), NOW)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isLiving(record(pid), NOW)).toBe(false);
});

test('a pid that another program has by now does not make a worker live for ever', () => {
  expect(isLiving(record(1, UNSEEN_MS - 1), NOW, () => true)).toBe(true);
  expect(isLiving(record(1, UNSEEN_MS), NOW, () => true)).toBe(false);
});

test('a record with our own pid is that of a predecessor', () => {
  expect(isLiving(record(process.pid), NOW)).toBe(false);
});
