import { join } from 'node:path';
import { runBatch } from '../../../../src/cli/batch/batch';
import { openResults } from '../../../../src/cli/batch/results-file';
import type { RunRequest } from '../../../../src/cli/batch/runners';
import type { ExecutionResult } from '../../../../src/contract';
import { createDiskWorkspaceStore } from '../../../../src/workspace/disk-store';

/** What one start of a batch of very many lines did, and what it cost the process. */
export interface StartFacts {
  readonly ran: number;
  readonly skipped: number;
  /** What the process held at its highest beyond what it held before, without what only waits to be collected. */
  readonly heldBytes: number;
}

const LOOK_MS = 250;
const RESULT = { success: true, result: null, stdout: '', stderr: '', savedFiles: [], warnings: [] };

function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Answers `in.jsonl` of the folder in its first argument into `out.jsonl`; programs end at once. Prints the facts. */
async function main(): Promise<void> {
  const [folder = ''] = process.argv.slice(2);
  const before = heldBytes();
  let highest = before;
  let ran = 0;
  const run: RunRequest = () => {
    ran += 1;
    return Promise.resolve(RESULT as unknown as ExecutionResult);
  };
  const looking = setInterval(() => (highest = Math.max(highest, heldBytes())), LOOK_MS);
  const { file: results, answered } = await openResults(join(folder, 'out.jsonl'));
  const counts = { skipped: 0, results: 0, succeeded: 0, failures: 0, running: 0 };
  const workspace = { dir: join(folder, 'workspace'), quotaBytes: 1e6, maxFileBytes: 1e6 };
  const places = {
    input: join(folder, 'in.jsonl'),
    workspaceDir: folder,
    workspaces: createDiskWorkspaceStore(workspace),
  };
  const settings = { batchId: 'many', concurrency: 4, inlineBytes: 0, signal: new AbortController().signal };
  await runBatch({ ...places, ...settings, results, answered, counts, run });
  clearInterval(looking);
  await results.close();
  const facts: StartFacts = { ran, skipped: counts.skipped, heldBytes: highest - before };
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}

void main();
