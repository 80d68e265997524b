import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { goneWorkers } from '../../../src/cli/run/gone-workers';
import { loadHostId } from '../../../src/leases/host-id';

test('workers of this host whose processes are gone are known, those of other hosts are not judged', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'hourglass-test-'));
  try {
    const hostId = await loadHostId(stateDir);
    const { pid: dead } = spawnSync(process.execPath, ['--version']);
    const gone = [`hourglass@${hostId}#${dead}`, `hourglass@${hostId}#${process.pid}`];
    const others = [`hourglass@${hostId}#${process.ppid}`, `hourglass@elsewhere#${dead}`, `${dead}@somebody`];
    expect(await goneWorkers([...gone, ...others], stateDir)).toEqual(new Set(gone));
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
});
