import { randomUUID } from 'node:crypto';
import type { HourglassConfig } from '../../config';
import { createContainerEngine } from '../../engine/container';
import type { LeaseStore } from '../../leases/lease-store';
import { findLeftOvers, removeLeftOvers, type JudgedContainer, type LeftOvers } from '../../leases/left-overs';
import { SILENT } from '../../telemetry/log';
import type { CleanItem, PartResult } from './part';

/**
 * Removes containers of dead workers of this host, with their leases and records, by the rules of the workers' own
 * sweep. Rejects where the engine does not answer.
 */
export async function cleanSandboxes(config: HourglassConfig, store: LeaseStore, dryRun: boolean): Promise<PartResult> {
  const engine = createContainerEngine(config, SILENT);
  // This process is no worker: nothing on the engine is its own.
  const onlooker = { workerId: randomUUID(), holds: () => false };
  try {
    const found = await findLeftOvers(engine, store, onlooker);
    const unremoved = dryRun ? [] : await removeLeftOvers(found, engine, store);
    const stuck = new Set(unremoved.map(({ containerId }) => containerId));
    return {
      removed: [
        ...found.containers.filter(({ containerId }) => !stuck.has(containerId)).map(asItem),
        ...recordsOf(found, stuck),
      ],
      kept: found.kept.map(asItem),
      // Read-only roots and files in memory: a container takes nothing on the disk.
      bytes: 0,
      failures: unremoved.map(({ error }) => error),
    };
  } finally {
    await engine.close();
  }
}

function asItem({ name, reason }: JudgedContainer): CleanItem {
  return { kind: 'container', name, reason };
}

function recordsOf({ leases, workers }: LeftOvers, stuck: ReadonlySet<string>): CleanItem[] {
  const ended = leases.filter(({ containerId }) => !stuck.has(containerId));
  return [
    ...ended.map(({ executionId }) => ({ kind: 'lease', name: executionId, reason: 'its worker is gone' }) as const),
    ...workers.map(
      ({ workerId, pid }) => ({ kind: 'worker', name: workerId, reason: `process ${pid} is gone` }) as const,
    ),
  ];
}
