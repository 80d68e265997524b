import { createDiskWorkspaceStore } from '../../../src/workspace/disk-store';
import { bytesOf, TENANT } from './fixture';

interface Job {
  readonly dir: string;
  readonly batchId: string;
  readonly texts: Readonly<Record<string, string>>;
  /** Step at which the process kills itself, and the how many-th of its kind. */
  readonly dieAt?: { readonly step: string; readonly count: number };
  /** Whether the process waits for SIGUSR2 before it commits. */
  readonly wait?: boolean;
  /** Whether the process only puts the store in order. */
  readonly recover?: boolean;
}

/** Publishes one batch in a process of its own and prints how far it is. */
async function main(job: Job): Promise<void> {
  let left = job.dieAt?.count ?? 0;
  const store = createDiskWorkspaceStore({
    dir: job.dir,
    quotaBytes: 1e9,
    maxFileBytes: 1e9,
    onStep: (step) => {
      if (step === job.dieAt?.step && --left === 0) process.kill(process.pid, 'SIGKILL');
    },
  });
  if (job.recover) return void (await store.recover());
  const batch = await (await store.open(TENANT)).publish(job.batchId);
  for (const [path, text] of Object.entries(job.texts)) await batch.add(path, bytesOf(text));
  process.stdout.write('staged\n');
  if (job.wait) await waitForSignal();
  await batch.commit();
  process.stdout.write('committed\n');
}

/** Keeps the process alive meanwhile: a listener for a signal alone does not. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    const alive = setInterval(() => undefined, 60_000);
    process.once('SIGUSR2', () => {
      clearInterval(alive);
      resolve();
    });
    process.stdout.write('waiting\n');
  });
}

void main(JSON.parse(process.argv[2] ?? '{}') as Job);
