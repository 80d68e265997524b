const IDENTITY = /^hourglass@(.+)#(\d+)$/;

/** Which process of which host a worker is. */
export interface WorkerIdentity {
  readonly hostId: string;
  readonly pid: number;
}

/** The name under which a worker polls, as Temporal shows it. */
export function workerIdentity({ hostId, pid }: WorkerIdentity): string {
  return `hourglass@${hostId}#${pid}`;
}

/** Reads such a name; undefined for one that is not ours. */
export function parseWorkerIdentity(identity: string): WorkerIdentity | undefined {
  const [, hostId, pid] = IDENTITY.exec(identity) ?? [];
  return hostId === undefined ? undefined : { hostId, pid: Number(pid) };
}
