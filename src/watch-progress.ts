import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { Progress } from './contract';
import { heartbeatOf } from './payload';

const LOOK_MS = 1_000;

/** Hears how far a program says that it is; must not throw. */
export type ProgressListener = (progress: Progress) => void;

/**
 * Tells what is new of a program's progress, once a second, until the signal aborts; where an execution is named, of that one
 * alone. Never rejects.
 */
export async function watchProgress(
  handle: Pick<WorkflowHandle, 'describe'>,
  onProgress: ProgressListener,
  signal: AbortSignal,
  executionId?: string,
): Promise<void> {
  let told = '';
  while (!signal.aborted) {
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const progress = await progressOf(handle, executionId);
    const text = JSON.stringify(progress);
    if (progress === undefined || text === told) continue;
    told = text;
    onProgress(progress);
  }
}

/** Undefined where the program has said nothing, or the server cannot be asked now. */
async function progressOf(
  handle: Pick<WorkflowHandle, 'describe'>,
  executionId: string | undefined,
): Promise<Progress | undefined> {
  try {
    const { raw } = await handle.describe();
    const [activity] = raw.pendingActivities ?? [];
    const heartbeat = heartbeatOf(activity?.heartbeatDetails);
    return executionId === undefined || heartbeat?.executionId === executionId ? heartbeat?.progress : undefined;
  } catch {
    return undefined;
  }
}
