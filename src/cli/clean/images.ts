import { findOldImages, removeOldImages } from '../../../infra/setup/image/left-overs.js';
import type { HourglassConfig } from '../../config';
import { resolveEndpoint } from '../../engine/container/endpoint';
import { isLiving } from '../../leases/liveness';
import type { LeaseStore } from '../../leases/lease-store';
import type { CleanOptions } from './options';
import type { CleanItem, PartResult } from './part';

/**
 * Removes images that set-up of other versions built, but for those of living workers of this host and those that a
 * container uses. Rejects where the engine does not answer.
 */
export async function cleanImages(
  { engine }: HourglassConfig,
  store: LeaseStore,
  { dryRun, olderThan }: Pick<CleanOptions, 'dryRun' | 'olderThan'>,
): Promise<PartResult> {
  const { dockerHost } = resolveEndpoint(engine.dockerHost);
  const now = Date.now();
  const inUse = store.workers().flatMap((worker) => (isLiving(worker, now) ? (worker.image ?? []) : []));
  const keep = engine.image === undefined ? inUse : [...inUse, engine.image];
  const found = await findOldImages({ dockerHost, keep, olderThanMs: olderThan });
  const items = found.map(({ name, reason, bytes }): CleanItem => ({ kind: 'image', name, reason, bytes }));
  const least = found.reduce((sum, { bytes }) => sum + bytes, 0);
  if (dryRun === true) return { removed: items, kept: [], bytes: least, failures: [] };
  const { bytes, unremoved } = await removeOldImages(dockerHost, found);
  const stuck = new Set(unremoved.map(({ image }) => image.name));
  return {
    removed: items.filter(({ name }) => !stuck.has(name)),
    kept: [],
    bytes,
    failures: unremoved.map(({ error }) => error),
  };
}
