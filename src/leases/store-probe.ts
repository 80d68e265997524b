import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';

/** A store that cannot be used, with the folder it lies in and what to do. */
export class LeaseStoreError extends Error {
  override readonly name = 'LeaseStoreError';
}

const PROBE_TIMEOUT_MS = 30_000;

/** Reads all there is and writes once, which also walks the pages that are free. */
const PROBE = `
  const { open } = require(process.argv[1]);
  const root = open({ path: process.argv[2], encoding: 'json', overlappingSync: false });
  for (const name of process.argv.slice(3)) for (const entry of root.openDB({ name }).getRange()) entry.value;
  root.openDB({ name: 'probe' }).putSync('at', Date.now());
`;

/**
 * Opens a store in a process of its own first: the library maps the file into memory, and a damaged one would end this
 * process by a signal instead of an error.
 *
 * Resolves at once where there is no store yet. Rejects with LeaseStoreError.
 */
export async function probeStore(library: string, file: string, databases: readonly string[]): Promise<void> {
  const size = await stat(file).then(
    (facts) => facts.size,
    () => 0,
  );
  if (size === 0) return;
  const fault = await runProbe([library, file, ...databases]);
  if (fault === undefined) return;
  throw new LeaseStoreError(
    `the lease store ${file} cannot be used (${fault}); if it is damaged, stop all workers of this host and remove ` +
      `${file} and ${file}-lock: sandboxes that are running then end with their leases`,
  );
}

function runProbe(args: readonly string[]): Promise<string | undefined> {
  const options = { timeout: PROBE_TIMEOUT_MS, killSignal: 'SIGKILL', env: {} } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, ['-e', PROBE, '--', ...args], options, (error, _stdout, stderr) => {
      if (error === null) return resolve(undefined);
      const message = /^\s*(?:\w*Error): (.*)$/m.exec(stderr)?.[1];
      resolve(error.signal ? `reading it ended with ${error.signal}` : (message ?? error.message));
    });
  });
}
