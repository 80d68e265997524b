import { loadHostId } from '../../leases/host-id';
import { pidExists } from '../../leases/liveness';

const IDENTITY = /^hourglass@(.+)#(\d+)$/;

/** Which of these workers have run on this host and do not any more. Never rejects: those of other hosts may live. */
export async function goneWorkers(identities: readonly string[], stateDir: string): Promise<ReadonlySet<string>> {
  const hostId = await loadHostId(stateDir).catch(() => undefined);
  return new Set(
    identities.filter((identity) => {
      const [, host, pid] = IDENTITY.exec(identity) ?? [];
      return host !== undefined && host === hostId && !isLivingProcess(Number(pid));
    }),
  );
}

/** What has our pid by now was a predecessor. */
function isLivingProcess(pid: number): boolean {
  return pid !== process.pid && pidExists(pid);
}
