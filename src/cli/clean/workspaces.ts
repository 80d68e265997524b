import type { HourglassConfig } from '../../config';
import { HourglassError } from '../../contract';
import { createDiskWorkspaceStore } from '../../workspace/disk-store';
import type { LeftUnfinished } from '../../workspace/workspace';
import type { CleanItem, ItemKind, PartResult } from './part';

const REASONS: Readonly<Record<LeftUnfinished['kind'], string>> = {
  batch: 'committed by a process that is gone: published',
  staging: 'of a process that is gone',
  owner: 'a process that is gone',
  session: 'of a session whose time is over',
};

const FREED: ReadonlySet<LeftUnfinished['kind']> = new Set(['staging', 'session']);

/**
 * Publishes what crashed processes had committed and removes what they had only staged, by the journal's own recovery.
 *
 * Rejects with HourglassError WORKSPACE_ERROR; touches nothing where nothing is left over.
 */
export async function cleanWorkspaces({ workspace }: HourglassConfig, dryRun: boolean): Promise<PartResult> {
  const failures: unknown[] = [];
  const log = { warn: (facts: object, message: string) => void failures.push(toError(facts, message)) };
  const store = createDiskWorkspaceStore({ ...workspace, log });
  let found = await store.survey();
  if (!dryRun && found.length > 0) {
    try {
      found = await store.recover();
    } finally {
      await store.retire();
    }
  }
  const removed = found.map(asItem);
  const freed = found.filter(({ kind }) => FREED.has(kind)).reduce((sum, { bytes }) => sum + bytes, 0);
  return { removed, kept: [], bytes: freed, failures };
}

function asItem({ kind, tenant, name, bytes }: LeftUnfinished): CleanItem {
  const item: { kind: ItemKind; name: string; reason: string } = {
    kind,
    name: tenant === undefined ? name : `${tenant}/${name}`,
    reason: REASONS[kind],
  };
  return kind === 'owner' ? item : { ...item, bytes };
}

/** What the store could not put right, and went on without. */
function toError(facts: object, message: string): HourglassError {
  const { tenant, batch, path } = facts as { tenant?: string; batch?: string; path?: string };
  const where = [tenant, batch, path].filter((part) => part !== undefined).join(' ');
  return new HourglassError('WORKSPACE_ERROR', `${message}: ${where}`);
}
