import type { SandboxOwner } from '../engine';

/** Labels of our containers: ids only, never anything of a request. */
export const LABELS = {
  host: 'io.hourglass.host',
  worker: 'io.hourglass.worker',
  /** Hash of the sandbox's spec. */
  key: 'io.hourglass.key',
  /** Wall clock of the worker at creation, ms since 1970. */
  created: 'io.hourglass.created',
} as const;

/** What a container's labels say about where it comes from. */
export interface ContainerOrigin extends SandboxOwner {
  readonly createdAt: number;
}

/** One container as the engine lists it. */
export interface ListedContainer {
  readonly id: string;
  readonly name: string;
  readonly isRunning: boolean;
  /** What its labels say; undefined: it is not ours. */
  readonly origin: ContainerOrigin | undefined;
}

/** Labels of a container that is made now. */
export function writeLabels(owner: SandboxOwner, key: string, now: number): Record<string, string> {
  return {
    [LABELS.host]: owner.hostId,
    [LABELS.worker]: owner.workerId,
    [LABELS.key]: key,
    [LABELS.created]: String(now),
  };
}

/** The origin of a container of ours; undefined for every other container, however similar its name or labels. */
export function readLabels(labels: Readonly<Record<string, string>>): ContainerOrigin | undefined {
  const hostId = labels[LABELS.host];
  const workerId = labels[LABELS.worker];
  const created = labels[LABELS.created];
  if (!hostId || !workerId || !labels[LABELS.key] || created === undefined || !/^\d{13}$/.test(created))
    return undefined;
  return { hostId, workerId, createdAt: Number(created) };
}
