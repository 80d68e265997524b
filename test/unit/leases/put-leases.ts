import { openLeaseStore } from '../../../src/leases/lmdb-lease-store';
import { lease } from './lease';

/** Puts leases one after the other and prints the id of each that is said to be durable. Ends by being killed. */
async function main(dir: string, prefix: string): Promise<void> {
  const store = await openLeaseStore(dir);
  for (let number = 0; ; number++) {
    const executionId = `${prefix}-${number}`;
    await store.put(lease({ executionId }));
    process.stdout.write(`${executionId}\n`);
  }
}

void main(process.argv[2] ?? '', process.argv[3] ?? '');
