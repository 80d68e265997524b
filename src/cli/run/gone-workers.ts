import { parseWorkerIdentity } from '../../contract';
import { loadHostId } from '../../leases/host-id';
import { pidExists } from '../../leases/liveness';

/** Which of these workers have run on this host and do not any more. Never rejects: those of other hosts may live. */
export async function goneWorkers(identities: readonly string[], stateDir: string): Promise<ReadonlySet<string>> {
  const hostId = await loadHostId(stateDir).catch(() => undefined);
  return new Set(
    identities.filter((identity) => {
      const worker = parseWorkerIdentity(identity);
      return worker !== undefined && worker.hostId === hostId && !isLivingProcess(worker.pid);
    }),
  );
}

/** What has our pid by now was a predecessor. */
function isLivingProcess(pid: number): boolean {
  return pid !== process.pid && pidExists(pid);
}
